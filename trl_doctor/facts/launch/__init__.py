"""What starts the run: launch lines, the files of accelerate, DeepSpeed and FSDP, the GPUs.

- the line: `launch_line` (its text and places), `named_files`, `elsewhere` (what was found by a
  guess), `withheld` and `not_handed_on` (variables),
  `first_process` of TRL's command, `hidden_failure`
- files of launchers: `files`, `fsdp`
- GPUs and processes: `hardware`, `node_processes`, `container`, `shared_memory`
- nodes: `nodes`, `node_lists` of srun, `addresses`, `ranks`
- several trainings: `turns`, `lists` (words of arrays), `ports`, `servers`, `services`
- jobs: `unread_directives`, `log_folders`, `documents` (texts that are submitted),
  `queued_again`, `last_checkpoint`, `other_folders` of it
- what outlives the job: `kept_output`, `machines`; in a container: `config_maps`, `image`,
  `read_only`, `unmounted`, `offline`, `left_environments`, `logins`
"""
