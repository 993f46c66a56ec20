"""The script's own config and trainer: made small, built, run for two steps, watched."""
