"""Rules on reward functions that were called on the rows of a run."""
