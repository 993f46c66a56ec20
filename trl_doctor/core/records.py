"""The names of the files next to repaired ones: originals, and unfinished repairs."""

RECORDS = ".trl-doctor"
"""The folder, next to the files, that contains their originals."""

UNFINISHED = "unfinished"
"""The file in it that is there while a repair is being written."""
