"""What probes answered in real runs, and small candidates: for the examples of the rules."""
