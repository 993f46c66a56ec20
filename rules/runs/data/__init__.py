"""Rules on the rows of a run, and on its evaluation."""
