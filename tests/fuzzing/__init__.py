"""What `fuzz.py` mutates, how, and what must hold whatever it becomes."""
