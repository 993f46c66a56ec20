"""Notebooks: their cells, and what they start and install by lines for the shell."""
