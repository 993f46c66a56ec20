"""Calls the run's reward functions as the installed release calls them."""
