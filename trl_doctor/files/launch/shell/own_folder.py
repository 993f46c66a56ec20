"""The folder of a launch file, as the file itself asks for it: `$(dirname "$0")` and its kind."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from trl_doctor.files.launch.shell.variables import Shell

OWN = re.compile(
    r"\$(?:0|BASH_SOURCE|\{0\}|\{BASH_SOURCE(?:\[0\])?(?::-\$(?:0|\{0\}))?\})(?![\w\[])"
)
"""The launch file, in its own text."""

BRACED = re.compile(r"(?:0|BASH_SOURCE(?:\[0\])?)%/\*")
PARENT = re.compile(r"dirname[ \t]+(?:--[ \t]+)?(.+)")
SAME = re.compile(r"(?:realpath|readlink[ \t]+-\w*f\w*)[ \t]+(?:--[ \t]+)?(.+)")
GONE_TO = re.compile(
    r"(?:CDPATH=[ \t]*)?cd[ \t]+(?:-P[ \t]+|--[ \t]+)?(.+?)"
    r"(?:[ \t]*&?>[ \t]*/dev/null(?:[ \t]*2>&1)?)?[ \t]*(?:&&|;)[ \t]*pwd(?:[ \t]+-P)?[ \t]*"
)


def named(command: str, shell: Shell, value: Callable[[str], str | None]) -> str | None:
    """The path that a command in `$( … )` prints; None if it is not about the launch file's own.

    `value` gives a word of the shell, None if that is not known. Slurm runs a copy of the file.
    """
    if shell.launcher is None or shell.copied:
        return None
    own = str(shell.launcher.absolute())
    for form, parent in ((PARENT, True), (SAME, False), (GONE_TO, False)):
        if match := form.fullmatch(command.strip()):
            word = OWN.sub(lambda _: own, match[1].strip())
            inner = word[1:-1] if word[:1] == word[-1:] == '"' else word
            path = value(inner)
            if path is None or not path.startswith("/"):
                return None
            return posixpath.normpath(posixpath.dirname(path) if parent else path)
    return None


def of_braces(inside: str, shell: Shell) -> str | None:
    """`${0%/*}` and `${BASH_SOURCE[0]%/*}`; None for others."""
    if shell.launcher is None or shell.copied or not BRACED.fullmatch(inside):
        return None
    return str(shell.launcher.absolute().parent)
