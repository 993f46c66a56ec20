"""What the real libraries do with this candidate: facts that ask probes."""
