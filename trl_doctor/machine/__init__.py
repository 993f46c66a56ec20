"""Where the run will happen: interpreter, installed packages, GPUs, settings.

May import `core` and `files`.
"""
