"""The known bugs of trl, one OSV file each."""
