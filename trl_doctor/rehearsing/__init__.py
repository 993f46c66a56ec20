"""Runs a user's own command on a small scale and examines what became of it.

May import `checkup` and what that may import. In the order of a rehearsal (`rehearse`):

- `command`: from the words of a user to a command that runs on this machine
- `running` runs it at a `scale`; the probes in it tell `events`, whose lines are a `code_line`
- `by_trainer` gives each trainer of the script the events that are about it
- `ending`: what ended it, who is to blame, and what to do about it
- `run_file` writes what the script built as a run for the rules, with `resized_weights`;
  `without_trainer`, `process_count` and `hub_files` complete it
- `oracle` answers the rules' questions with the events, `answer` says what became of the command,
  with what several `ranks` tell; `from_source` adds what the source alone shows
- `places` puts the findings at lines of the script; `notes` are the sentences of the report
"""
