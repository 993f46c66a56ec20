"""How a text says that a part of it is not known."""

OPEN = "\0"
"""Begins a value of a command line that is not known; why follows."""

PLACEHOLDER = "__filled_in_elsewhere__"
"""Stands for a value that another program fills in."""
