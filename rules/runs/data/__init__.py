"""Rules on the rows of a run."""
