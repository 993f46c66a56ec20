"""What labels of a script's own, and the masks that they are made by, leave out."""
