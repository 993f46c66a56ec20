"""Rules on batches, steps and the trainers' own algorithms."""
