"""Variables that commands change: `unset A`, `read A`, `mapfile A`, `printf -v A`, `A[2]=x`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.files.launch.shell.variables import NAME, Shell, Word

ELEMENT = re.compile(r"([A-Za-z_]\w*)\[[^\]]*\]\+?=")
READS = ("read", "mapfile", "readarray")


def change(shell: Shell, words: Sequence[Word]) -> None:
    """What a command does to variables, other than an assignment: their values are not known."""
    first, names = words[0].text, [word.text for word in words[1:] if NAME.fullmatch(word.text)]
    if first == "unset":
        for name in names:
            shell.variables.pop(name, None)
            shell.kept.pop(name, None)
            shell.exported.discard(name)
    elif element := ELEMENT.match(first):
        shell.variables[element[1]] = None
    elif first in READS or (first == "printf" and words[1:2] and words[1].text == "-v"):
        for name in names if first in READS else names[:1]:
            shell.variables[name] = None
