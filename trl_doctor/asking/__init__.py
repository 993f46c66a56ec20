"""How questions travel to the probes in the target interpreter, and answers back.

May import `core`, `files` and `machine`.
"""
