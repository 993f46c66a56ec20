"""The rows of a rehearsal: few of the script's own, or rows made with its columns."""
