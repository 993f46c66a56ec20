"""Rules on the names and values of a run's arguments, and on the releases that know them."""
