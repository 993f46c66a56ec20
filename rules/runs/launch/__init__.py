"""Rules on what starts a run: accelerate, DeepSpeed, FSDP, and the GPUs that it is given."""
