"""Data files: what the released libraries accept and do, with their sources."""
