"""Rules on datasets that code makes and passes to a trainer."""
