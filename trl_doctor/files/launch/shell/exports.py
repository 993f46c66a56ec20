"""What a command exports to the programs that follow: `export NAME`, `set -a`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from trl_doctor.files.launch.shell.sourced import of_command
from trl_doctor.files.launch.shell.variables import Shell, Word

EXPORT = ("export", "declare", "-x")
ALL = re.compile(r"[-+][a-z]*a[a-z]*|allexport")
"""The options of `set` after which the shell exports what it sets, or no longer does with `+`."""


def exported(words: Sequence[Word], shell: Shell, *, exports: bool) -> None:
    """Keep what a command exports: `export NAME`, `export $(cat .env)`, `set -a`, `set +a`."""
    for before, word in pairwise([Word("", 0, 0), *words]):
        if exports or words[0].text == "env":
            for name, value in of_command(word.spelled, shell).items():
                given = Word(value, word.line, word.column)
                shell.set(name, given, added=False, exported=True)
        if exports:
            shell.export(word.text)
        if words[0].text == "set" and ALL.fullmatch(word.text):
            shell.exports_all = (word.text + before.text).startswith(("-", "allexport-"))
