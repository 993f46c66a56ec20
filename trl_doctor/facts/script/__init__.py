"""A run as a script or a notebook describes it.

`description` makes it of what `files/source` has read, with `trainers`, `defaults`, `values`:

- rows: `data` (what the trainer is given), `row_files` and `row_loads` (what is loaded), `tokens`,
  `columns` and `column_steps` (what is left of columns, and the calls that change only these)
- models and tokenizers: `models`, `roles`, `heads`, `adapters`, `changes`, `model_changes`
- rewards and tools: `rewards`, `added_fields`, `tools`, `shared_state` and `kept_by_environments`
  (of environments)
- the trainer: `passed`, `kinds`, `trainer_methods`, `own_trainer`
- what a probe runs `alone`: the statements that make an argument of the trainer
- around it: `library_calls`, `logins`, `written`, `unread_settings`

`syntax` has what is found in the tree of the code, without its values.
"""
