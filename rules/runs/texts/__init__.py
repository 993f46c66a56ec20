"""Rules on the signs in the texts of rows."""
