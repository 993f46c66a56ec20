"""Rules on a model's configuration, its weights and its adapter."""
