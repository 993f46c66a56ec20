"""Calls the run's reward functions as the installed release calls them.

- `trial` tries one function, `calls` makes each call, `release` has how a release of TRL calls,
  `supervised` watches the process, `held_back` says what a probe may not do, `script_parts` makes a
  module of the part of a script that defines them
- what it is tried on: `rows` (answers in many forms, garbage), `short_forms`, `equations`,
  `exploits`, `series` (texts that grow and vary, tools that were called), `own_patterns` (texts
  that its patterns match)
- what its code shows: `source`, `unused`; mistakes that it catches: `hidden_errors`
- right answers that get nothing: `pays_if`, `unpaid`, `whole_golds`, `cut_solutions`, `ended`,
  `line_ends`, `several_lines`, `opened_tags`
- other numbers and lengths: `other_numbers`, `cut_numbers`, `targets`, `gold_sizes`
- what else a reward depends on: `of_other_rows`, `whole_calls`, `padded`
- what is tried if it does not depend on others: `texts_of_a_call`
"""
