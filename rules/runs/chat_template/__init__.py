"""Rules on what the chat template makes of a run's rows, and on how they are tokenized."""
