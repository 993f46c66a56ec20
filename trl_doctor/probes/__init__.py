"""What runs in the target interpreter: a module for each question, and what they are made of."""
