"""The commands of a shell text.

- `words` reads commands: their `quoting`, and where an operator has them `cut`; `lines` of a file
  as its commands are read, and where in it a word is `written`
- files that the text contains (`inside`), scripts that a command reads from its `standard_input`,
  files that the text names (`named`), and its `own_folder`
- `variables`, with `expansions`, `sums`, `loops`, `branches`, `conditions`, `functions`, `merging`,
  what a command `exports`, what is `forgotten` behind it, and files that are `sourced`
"""
