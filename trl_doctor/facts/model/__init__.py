"""The model of a run: its files, its weights, its class, and the models beside it."""
