"""Compares the log-probabilities that a trainer computes with the model's own."""
