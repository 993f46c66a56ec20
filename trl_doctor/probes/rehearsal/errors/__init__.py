"""What a rehearsal records of an error, and of processes that wait for each other."""
