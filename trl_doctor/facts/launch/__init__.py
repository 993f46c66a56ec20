"""What starts the run: launch lines, the files of accelerate, DeepSpeed and FSDP, the GPUs."""
