"""The reward functions of a run, read from their source."""
