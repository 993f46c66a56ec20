"""The names under which originals and unfinished repairs are kept beside the repaired files."""

RECORDS = ".trl-doctor"
"""The folder, beside the files, in which their originals are kept."""

UNFINISHED = "unfinished"
"""The file in it that is there while a repair is being written."""
