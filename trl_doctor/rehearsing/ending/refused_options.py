"""Options that a parser of a script, or TRL's command, has refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.core.finding import pointer
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library import releases
from trl_doctor.files import document
from trl_doctor.files.launch.flags import config_of
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.start_folder import folder_of
from trl_doctor.rehearsing.ending.failure import Failure

UNKNOWN = re.compile(r"unrecognized arguments: (.+)|No such option:? (.+)")
"""What parsers say of options that they do not know."""

USAGE = re.compile(r"\b[Ee]rror: |^[Uu]sage: ")
"""What parsers of arguments print before they end a script with the status 2."""

GIVEN = re.compile(
    r"argument (?P<name>-[^:]+): (?P<lacks>expected )?(?!can't open)|ambiguous option"
)
"""Errors of argparse about an option that the command line has: more options are no remedy."""

VALUE = re.compile(r"argument --(?P<name>\w+)\S*: invalid (?:(?P<kind>\w+) value|choice)")
"""Errors of argparse about a value: no rehearsal is the cause of them."""

CHOICE = re.compile(r"argument [^-\s:][^\s:]*: invalid choice: (?P<word>'[^']*')")
"""An error of argparse about a word without an option: a command that a program does not have."""


def refusal(printed: Sequence[str], at: CodeLine | None) -> Failure | None:
    """The failure of a command that a parser has ended; None where no parser printed why."""
    usage = next((line for line in reversed(printed) if USAGE.search(line)), "")
    if not usage:
        return None
    message = USAGE.split(usage)[-1].strip()
    sentence = (
        f"the script refuses its arguments: {message}" if message else "it refuses its arguments"
    )
    if wrong := VALUE.match(message):
        return Failure("script", sentence, _better_value(wrong), at, "exit")
    if given := GIVEN.match(message):
        option = (given["name"] or "").split("/")[0]
        remedy = f"write a value behind {option}" if given["lacks"] else "correct this option"
        return Failure("script", sentence, remedy, at, "exit")
    if choice := CHOICE.match(message):
        remedy = f"write another word for {choice['word']}, or install a release that knows it"
        return Failure("script", sentence, remedy, at, "exit")
    if unknown := UNKNOWN.search(message):
        remedy = f"correct or remove {unknown[1] or unknown[2]}"
        return Failure("script", sentence, remedy, at, "exit")
    return Failure("machine", sentence, "add its arguments behind the script's name", at)


def _better_value(wrong: re.Match[str]) -> str:
    """What to do about a value that a parser of arguments cannot read."""
    if wrong["kind"] != "dict":
        return "give the argument a value that the message allows"
    return (f"this release's config reads no JSON here: write {wrong['name']} as a mapping in the "
            "run file, or set it in the script")  # fmt: skip


def in_run_file(
    ended: Failure | None, launch: Launch | None, launcher: Path | None = None
) -> Failure | None:
    """The same failure at the key of the run file, with its new name; as it is where none fits.

    The run file may be a text in the launch file `launcher`.
    """
    refused = UNKNOWN.search(ended.message) if ended else None
    if ended is None or refused is None or launch is None or launch.command not in TRAINERS:
        return ended
    name = config_of(launch)
    inside = named_exactly(launch.files, name) if launcher else None
    try:
        if inside and launcher:
            file = document.parse(launcher.with_suffix(".yaml"), inside.data)
        else:
            file = document.read(folder_of(launch, launcher) / name)
        keys = list(file.mapping())
    except document.Unreadable:
        return ended
    words = (refused[1] or refused[2]).split()
    options = [word.partition("=")[0].lstrip("-") for word in words if word.startswith("--")]
    key = next((key for key in options if key in keys), "")
    if not key:
        return ended
    new = releases.replacement(TRAINERS[launch.command].config, key)
    remedy = f"write {new.use} instead of {key}" if new and new.use else f"correct or remove {key}"
    written = launcher.absolute() if inside and launcher else file.path
    return replace(ended, at=CodeLine(written, file.position(pointer(key)).line), remedy=remedy)
