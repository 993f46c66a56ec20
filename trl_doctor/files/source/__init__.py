"""Python scripts and notebooks, read without running them.

- `reading` reads a `text` from its first line to its last, with a `state`; `values` and `objects`
  are what expressions are known to be
- `statements`: `assignment`, `attributes`, `branches`, `definitions`, `guards`, `joined`
- `expressions`: `operations`, `calls`, `functions`, `forwarding`, `builtin`, `containers`, `names`
- imports and settings: `modules`, `variables`, `configuration`, `hydra_files`, `interpolation`,
  `merging`
- command lines: `command_line`, `parsers`, `option_values`, `positionals`, `refused_words`,
  `commands`, `entries`, `filling`
- notebooks: `cells`, `marimo`, `outputs`, `started`; versions that they install: `pins`
- what is never used: `idle`, `unread`
- as a document with places and edits: `document`, `places`, `splice`
"""
