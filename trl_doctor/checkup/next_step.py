"""What would examine more of a run than was examined."""

from __future__ import annotations

import shlex

from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import Run
from trl_doctor.files.target import SCRIPTS


def next_step(run: Run) -> str:
    """The command that rehearses a script with values that reading cannot know; else empty."""
    target, arguments = run.target, run.arguments
    if target.kind != "script" or not isinstance(arguments, Partly):
        return ""
    if not arguments.unknown and arguments.rest is None:
        return ""
    own = target.argv or () if target.given.endswith(tuple(SCRIPTS)) else ()
    command = shlex.join(("trl-doctor", "rehearse", target.given, *own))
    return f"`{command}` runs it at a small scale, and knows the values that reading does not"
