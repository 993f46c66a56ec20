"""Scripts that run in a child process and ask a real library; they are never imported."""
