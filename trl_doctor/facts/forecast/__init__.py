"""Forecasts of a run before it starts: memory of each GPU by part and phase, time, disk."""
