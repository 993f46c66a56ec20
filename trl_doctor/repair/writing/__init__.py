"""Changing several files together or not at all, and taking it back."""
