"""Loads what the candidate's files hold as the real libraries do, and compares it with them."""
