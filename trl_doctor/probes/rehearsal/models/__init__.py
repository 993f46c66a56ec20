"""The small models and tokenizers that a rehearsal loads in place of the named ones."""
