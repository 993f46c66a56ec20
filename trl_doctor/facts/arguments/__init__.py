"""The keys of a run file: which its trainer accepts, and what unknown ones mean."""
