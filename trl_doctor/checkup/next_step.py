"""What would examine more of a run than was examined."""

from __future__ import annotations

import shlex

from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import Run
from trl_doctor.files.target import SCRIPTS, Target


def _words(target: Target) -> tuple[str, ...]:
    """What to rehearse; nothing if it is a line of a program and not all of its words are known."""
    if not target.given.endswith(tuple(SCRIPTS)):
        return (target.given,)
    if target.launch is None:
        return (target.given, *(target.argv or ()))
    whole = target.launch.whole
    return () if any(word.open for word in whole) else ("--", *(word.text for word in whole))


def next_step(run: Run) -> str:
    """What examines the values of a script that reading cannot know; empty if nothing would."""
    target, arguments = run.target, run.arguments
    if target.kind != "script" or not isinstance(arguments, Partly):
        return ""
    if not arguments.unknown and arguments.rest is None:
        return ""
    words = _words(target)
    if not words:
        return ""
    if target.argv is None and str(arguments.rest).startswith(COMMAND_LINE):
        command = shlex.join(("trl-doctor", "check", *words))
        return f"`{command} -- …` with the words of your job examines what they set"
    command = shlex.join(("trl-doctor", "rehearse", *words))
    return f"`{command}` runs it at a small scale, and knows the values that reading does not"
