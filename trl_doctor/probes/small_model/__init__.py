"""Makes the small random model of the candidate's own architecture that probes run."""
