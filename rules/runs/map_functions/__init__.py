"""Rules about the functions that a script gives to `map` and `filter`."""
