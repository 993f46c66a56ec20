"""Rules on what a run asks of the machine and of the installed libraries."""
