"""Rules on the evaluation of a run."""
