"""Rules on arguments whose values are of a type, or have parts, that nothing takes."""
