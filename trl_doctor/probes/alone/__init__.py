"""Code of the user in a probe: `place` is where it runs, `script_part` runs a part of a script.

`configs` lets a parser make the training's config where there is no GPU.
"""
