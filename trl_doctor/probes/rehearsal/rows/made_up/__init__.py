"""Rows for data sets that are not here: their columns, what these hold, and their values."""
