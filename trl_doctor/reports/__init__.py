"""Renderers: one file a format, a checkup in and text out.

May import `core` and `checkup`.
"""
