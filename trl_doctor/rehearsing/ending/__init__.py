"""What ended a rehearsal, who is to blame, and what to do about it.

`blame` gives a `failure`. It asks, until one of them knows the error:

- `excused`, `missing_variables`, `missing_file`: what the job has and this machine has not
- `judges`, `missing_packages`: errors of libraries, known by their text
- `changed_argument`, `certain_errors`, `own_checks`: whether the small scale has led there; `flow`
  follows through the source what was generated, with `bindings` and `scopes`
- `remedies`: what the objects of the line say; `exits` and `refused_options`: a script that ended
  itself
"""
