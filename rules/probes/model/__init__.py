"""Rules on the model as the real libraries load it."""
