"""From a target to its outcomes: opening, examining, causes, and what a command shares.

May import `facts` and what that may import.

- what a command shares: `request`, `session`, `levels`, `device`, `discover`
- `opening` opens a run: `which_trainer`, `how_many_processes`, `stated_gpus`, `resolving`,
  `templated`, `starting_folder`
- of a script: `scripts`, `script_mentions`, `saved_models`, `pinned`, `no_trainer`; of a launch
  file: `launch_targets`, `started_run`
- `checkup` examines it: an `outcome` for each rule, `causes`, `ignoring`, `baseline`, `verdict`
- `gather` makes the `report`: `script_notes`, `places`, `location`, `line_changes`, `subjects`,
  `status_lines`, `measured_lines`, `measurement`, `measurements`, `first_row`,
  `unknown_releases`, `next_step`; `stages` and `stage_shown` for several trainers
"""
