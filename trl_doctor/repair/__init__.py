"""Repairs: planned in memory, tried, written all or none, and taken back.

May import `checkup` and what that may import.
"""
