"""Tools of rows: calls and definitions that are lost, and arguments that calls get of others.

- `lost_tools`, `merged_calls`
"""
