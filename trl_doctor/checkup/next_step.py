"""What would examine more of a run than was examined."""

from __future__ import annotations

from trl_doctor.checkup.levels import NEEDED
from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rehearsing import command_words, pasted
from trl_doctor.facts.run import Run
from trl_doctor.machine.environment import Environment


def next_step(run: Run, environment: Environment) -> str:
    """What examines the values of a script that reading cannot know; empty if nothing would."""
    target, arguments = run.target, run.arguments
    if target.kind != "script" or not isinstance(arguments, Partly):
        return ""
    if not arguments.unknown and arguments.rest is None:
        return ""
    words = command_words(target)
    if not words:
        return ""
    if target.argv is None and str(arguments.rest).startswith(COMMAND_LINE):
        command = pasted("check", words, environment)
        return f"`{command} -- …` with the words of your job examines what they set"
    if not environment.given and not all(map(environment.installed_version, NEEDED)):
        words = ("--python", "PATH_OF_THE_PYTHON_THAT_TRAINS", *words)
    command = pasted("rehearse", words, environment)
    return f"`{command}` runs it at a small scale, and knows the values that reading does not"
