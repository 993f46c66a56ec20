"""Launch files (shell, Slurm, Makefile, Dockerfile, Kubernetes, SkyPilot, CI): what they start.

- `forms` says what kind a file is, `reading` reads it: a `launch` is a line that starts a training
- `shell`: the commands of a shell text, with its variables and branches
- other files as shell: `recipes`, `pipelines`, `dockerfile`, `in_python` (`estimators`),
  `in_notebook`, `in_yaml` (`environments`, `operators`, `pods`, `templates`, `sweep`, `mlproject`,
  `parameters`, `azure_ml`)
- a command: `launches` with `program`, `runners`, `nested`, `started_files`, `options`, `flags`;
  `cluster` has the nodes and GPUs, of Slurm from `directives`, `arrays` the tasks of an array of
  jobs, `multirun` the jobs of hydra
- a line that the user names: `at_line`
- folders: `containers` with `container_variables`, and `placing`; `compose` has its services
- edits: `renaming`, and `document` (a run file with options on top)
"""
