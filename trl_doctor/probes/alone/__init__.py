"""Code of the user in a probe: `place` is where it runs, `script_part` runs a part of a script."""
