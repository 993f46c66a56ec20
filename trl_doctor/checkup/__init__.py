"""From a target to its outcomes: opening, examining, causes, and what a command shares.

May import `facts` and what that may import.
"""
