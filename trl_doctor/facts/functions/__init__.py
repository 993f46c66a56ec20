"""Functions of a script, read from their source: how they are called, what they look for."""
