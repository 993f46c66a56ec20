"""Rules on a real step of the trainer: its labels, its loss, its gradients."""
