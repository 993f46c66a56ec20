"""Rules on the real vLLM engine, started on the model of the run."""
