"""Options of trl-doctor that come after the script of a rehearsal: the script gets them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from trl_doctor.commands.output import to_stderr
from trl_doctor.files.launch.at_line import at_line
from trl_doctor.files.regular import text_of
from trl_doctor.rehearsing.command.launch_file import form
from trl_doctor.rehearsing.ending.refused_options import UNKNOWN

SHELL_LINE = re.compile(r'^\s*"[!%].*$', re.MULTILINE)
"""A line of a notebook for a shell, whose options are those of other programs."""


def warn(words: Sequence[str], refusal: str = "", started: str = "") -> None:
    """Name the options whose script does not have them: by its source, or by what it has refused.

    `refusal` is how the rehearsal ended. What the source does not have was named before it.
    `started` is the source of the script that a launch file starts.
    """
    try:
        file, _ = at_line(words[0])
        if not _is_script(file):
            return
        source = SHELL_LINE.sub("", text_of(file, "replace")) + started
    except OSError:  # the command itself says so
        return
    refused = UNKNOWN.search(refusal)
    if refusal and not refused:
        return
    for word in _own(words[1:]):
        if refused and word not in re.split(r"[\s=]", refused[1] or refused[2]):
            continue
        named_before = not _has(source, word)
        if named_before is not bool(refused):
            to_stderr(
                f"trl-doctor: {words[0]} gets {word}, because it comes after the script: write "
                "trl-doctor's own options before it"
            )


def _is_script(file: Path) -> bool:
    """Whether a file is a script, a notebook or a launch file: it gets what follows."""
    return file.is_file() and (file.suffix in (".py", ".ipynb") or bool(form(file)))


def _own(words: Sequence[str]) -> Iterator[str]:
    """The options of trl-doctor among the words."""
    own = {name for option in click.get_current_context().command.params for name in option.opts}
    named = dict.fromkeys(word.partition("=")[0] for word in words if word.startswith("-"))
    return (word for word in named if word in own)


def _has(source: str, word: str) -> bool:
    """Whether a script's source has an option, or a name for it."""
    if not word.startswith("--"):
        return bool(re.search(rf"['\"]{re.escape(word)}\\?['\"]", source))
    if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", source):
        return True
    return word[2:].replace("-", "_") in source
