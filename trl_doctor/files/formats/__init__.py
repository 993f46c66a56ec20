"""JSON and YAML text: parsed, with the place of each value, and edited in place."""
