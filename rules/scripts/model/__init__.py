"""Rules on models, adapters and references that code makes and passes to a trainer."""
