"""Traces a real trainer's step at the model's real sizes, on tensors that hold no data."""
