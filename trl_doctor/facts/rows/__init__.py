"""The rows of the run's data: what they hold, and what the chat template makes of them."""
