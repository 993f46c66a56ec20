"""Rules on models and checkpoints that a run loads, saves or goes on from."""
