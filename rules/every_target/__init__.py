"""Rules for every target, a model folder alone too; imported for each check."""
