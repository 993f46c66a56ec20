"""The script's own settings, changed so that a small machine can run them."""
