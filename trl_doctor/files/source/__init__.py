"""Python scripts and notebooks, read without running them.

- `reading` reads a `text` from its first line to its last, with a `state`; `values` and `objects`
  are what expressions are known to be
- `statements`: `assignment`, `attributes`, `branches`, `definitions`, `guards`, `joined`,
  `refusals`
- `expressions`: `operations`, `calls`, `functions`, `forwarding`, `builtin`, `files`, `containers`,
  `names`, `comprehensions`, `ordering`, `copies`, `loops`
- imports and settings: `modules`, `tried_imports`, `configuration`, `interpolation`, `merging`,
  `existing`
- `command_line`: parsers, and what they make of the words; functions that are called with the
  command line: `entries`
- `notebooks`: cells, and what they start; `outputs` leaves out what cells have printed
- `applied`, `exact`, `steady`: what a function gives for a row
- what is never used: `idle`, `unread`, and `unread_keys` with what is `followed`
- as a document with places and edits: `document`, `places`, `splice`
"""
