"""A run as a script or a notebook describes it."""
