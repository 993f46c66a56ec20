"""From the words of a user to a command that runs on this machine: `command` makes it.

- `launch_file`, `local_command`, `start_folder`: what a launch file starts, without its cluster
- `notebook`, `notebook_start`: a notebook as a script, or the training that its shell line starts
- `missing_script` refuses a script that is not here; `imports` says what a script imports
"""
