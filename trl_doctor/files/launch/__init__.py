"""Launch files (shell, Slurm, Makefile, Dockerfile, Kubernetes, SkyPilot, CI): what they start.

- `forms` says what kind a file is, `reading` reads it: a `launch` is a line that starts a training
- shell: `words` with `quoting`, `lines`, `cut`, `nested`, `standard_input`, `inside`; `variables`
  with `branches`, `conditions`, `functions`, `merging`, `sourced`, `container_variables`
- other files as shell: `recipes`, `pipelines`, `dockerfile`, `in_python` (`estimators`),
  `in_notebook`, `in_yaml` (`environments`, `operators`, `pods`, `templates`, `sweep`, `mlproject`,
  `parameters`, `azure_ml`)
- a command: `launches` with `runners`, `options`, `flags`; `cluster` has the processes and GPUs
- folders: `containers`, `placing`, `named`, `own_folder`
- places and edits: `written`, `renaming`, and `document` (a run file with options on top)
"""
