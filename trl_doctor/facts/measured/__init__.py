"""What the real libraries do with this run: facts that ask probes."""
