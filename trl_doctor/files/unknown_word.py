"""How a text says that a part of it is not known."""

OPEN = "\0"
"""What a word of a script's command line begins with whose value is not known; why follows."""

PLACEHOLDER = "__filled_in_elsewhere__"
"""Stands for a value that another program fills in."""
