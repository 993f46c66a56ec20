"""Rules about the answers of rows: whose they are, and which are called good."""
