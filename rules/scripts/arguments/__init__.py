"""Rules on the arguments that code passes, and on functions that a library lacks."""
