"""Rules on the reward functions and the reward model of a run, read and called on its rows."""
