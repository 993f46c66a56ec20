"""Starts vLLM's engine as TRL does and asks it about stops, weights and log-probabilities."""
