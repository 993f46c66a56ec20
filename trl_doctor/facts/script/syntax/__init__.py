"""What the syntax of a script's code shows; its values need not be known. `code` has the tree.

- `assigned`, `method_calls`, `after_trainer`: what names get, what is called, what comes late
- functions of `map`: `idle_maps` and `skipping_maps` return nothing, `kept_keys` drops keys
- rows: `ordered_rows`, `pairing`, `seeds`; texts and their lengths: `loops`, `counting`, `steps`
- checkpoints and models: `new_folders`, `sorted_names`, `restarts`, `saved_states`, `used_models`,
  `frozen_models`
- what is made and not used: `lost_changes` of a tokenizer, `unused_masks`
- names without a value: `undefined`
- what runs alone: `before_trainer` finds the statements that an argument needs, by `free_names` and
  `name_changes`, and those that can run `beside`; never `job_calls`
"""
