"""What would examine more of a run than was examined."""

from __future__ import annotations

from trl_doctor.checkup.levels import NEEDED
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rehearsing import command_words, pasted
from trl_doctor.facts.run import Run
from trl_doctor.machine.environment import Environment


def read_in_part(run: Run) -> bool:
    """Whether a script gives its trainer arguments that reading it does not show."""
    arguments = run.arguments
    if run.target.kind != "script" or not isinstance(arguments, Partly):
        return False
    return bool(arguments.unknown) or arguments.rest is not None


def next_step(run: Run, environment: Environment, verdict: Verdict) -> str:
    """What examines the part of a script that reading cannot know; empty if nothing would.

    Where the script has failed and all its arguments are known, the findings come first.
    """
    target, in_part = run.target, read_in_part(run)
    if target.kind != "script" or not (in_part or verdict.word != "failed"):
        return ""
    words = command_words(target)
    if not words:
        return ""
    rest = run.arguments.rest if isinstance(run.arguments, Partly) else None
    if target.argv is None and str(rest).startswith(COMMAND_LINE):
        command = pasted("check", words, environment)
        return f"`{command} -- …` with the words of your job examines what they set"
    if not environment.given and not all(map(environment.installed_version, NEEDED)):
        words = ("--python", "PATH_OF_THE_PYTHON_THAT_TRAINS", *words)
    command = pasted("rehearse", words, environment)
    if in_part or verdict.lacking:
        return f"`{command}` runs it at a small scale, and knows the values that reading does not"
    return f"`{command}` runs it at a small scale, with its own rows, rewards and functions"
