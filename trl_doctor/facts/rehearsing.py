"""The command that rehearses what was checked, as a user can paste it."""

from __future__ import annotations

import shlex

from trl_doctor.files.target import SCRIPTS, Target
from trl_doctor.machine.environment import Environment


def rehearsal(target: Target, environment: Environment) -> str:
    """`trl-doctor rehearse …`; "" for a line of a program of which not all words are known."""
    words = command_words(target)
    return pasted("rehearse", words, environment) if words else ""


def command_words(target: Target) -> tuple[str, ...]:
    """What to rehearse.

    Nothing if it is a line of a program, and not all of its words are known or it starts elsewhere.
    """
    if not target.given.endswith(tuple(SCRIPTS)):
        return (target.given,)
    if target.launch is None:
        return (target.given, *(target.argv or ()))
    whole = target.launch.whole
    if target.launch.folder or any(word.open for word in whole):
        return ()
    return ("--", *(word.text for word in whole))


def pasted(command: str, words: tuple[str, ...], environment: Environment) -> str:
    """A command of trl-doctor with the interpreter that was named."""
    python = ("--python", environment.given) if environment.given else ()
    return shlex.join(("trl-doctor", command, *python, *words))
