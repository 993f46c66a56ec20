"""Runs a user's own command on a small scale and examines what became of it.

May import `checkup` and what that may import.
"""
