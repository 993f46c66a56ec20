"""Rules on the adapter that a run trains."""
