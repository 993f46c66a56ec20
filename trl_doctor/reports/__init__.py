"""Renderers: one file a format, a checkup in and text out.

May import `checkup` and what that may import.
"""
