"""Lays a run out as one step: arguments, rows, rewards and model, and the script that takes it."""
