"""What a run will take before it runs: memory of each GPU by part and phase, time, disk."""
