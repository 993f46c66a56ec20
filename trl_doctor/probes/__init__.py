"""What runs in the target interpreter: a module for each question, and what they are made of.

May import the standard library and the libraries that are examined, nothing else of trl_doctor.

- `host` forks a `child` for each question; `guard`, `processes`, `landlock`, `network`, `audit` and
  `gpu_memory` keep it in its limits
- questions: `libraries`, `config`, `load`, `start`, `step`, `forward`, `termination`, `data`,
  `first_rows`, `script_rows`, `rewards`, `fit`, `full`, `engine`, `engine_tokenizer`, `rehearse`;
  `healthy_step` and `healthy_engine` say whether the installation is to blame; `refusal` is an
  answer, too
- of a script: `alone` runs statements, `own_code` makes the trainer's arguments with them,
  `in_memory` repeats its changes in copies of the folders
- shared: `processing`, `dropouts`, `members`, `values`, `tables` of libraries; `reading`,
  `contradictions`, `tool_parts` of rows; `named_objects`, `line_values`, `intentions` of
  source
"""
