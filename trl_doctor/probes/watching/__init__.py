"""Watches a step: completions, labels, gradients, and what holds the memory."""
