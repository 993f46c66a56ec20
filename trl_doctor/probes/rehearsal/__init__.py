"""Rides along in a user's own command: makes what is large small, keeps writes and calls here."""
