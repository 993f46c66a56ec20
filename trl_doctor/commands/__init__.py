"""The command line. May import every room."""
