"""Rules on the values with which a run loads its model."""
