"""Whether a condition of a shell text holds, where the file is started as it is."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from trl_doctor.files.launch.shell.named import ABOVE
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word

Truth = bool | None
"""Whether something is so; None if it is not known."""

NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-gt": operator.gt,
    "-ge": operator.ge,
    "-lt": operator.lt,
    "-le": operator.le,
}
FILES = ("-f", "-e", "-d", "-s", "-r", "-x", "-a", "-L", "-h", "-w")
NUMBER = re.compile(r"-?\d{1,15}")

UNSET = re.compile(r"the variable (\w+) gives it")
OF_THE_MACHINE = re.compile(
    r"(?:SLURM|CUDA|NVIDIA|PBS|LSB|OMPI|PMI|PET|CI|GITHUB|GITLAB|CONDA|VIRTUAL|AWS|KUBERNETES)"
    r"(?:_.*)?|HOME|USER|LOGNAME|HOSTNAME|PATH|PWD|OLDPWD|TMPDIR|SCRATCH|WORK|RANK|LOCAL_RANK"
    r"|WORLD_SIZE|MASTER_ADDR|MASTER_PORT|LD_LIBRARY_PATH|BASH_.*|SHELL|LANG|UID|HF_TOKEN"
)
"""Variables that the machine of the job sets. The file is read as if nobody sets another one."""


def not_(truth: Truth) -> Truth:
    """Whether something is not so."""
    return None if truth is None else not truth


def both(one: Truth, other: Truth) -> Truth:
    """Whether both are so."""
    if one is False or other is False:
        return False
    return True if one and other else None


def either(one: Truth, other: Truth) -> Truth:
    """Whether one of both is so."""
    return not_(both(not_(one), not_(other)))


def holds(words: Sequence[Word], shell: Shell) -> Truth:
    """Whether a command that is a condition succeeds: `[ -n "$A" ]`, `[[ $A == b* ]]`, `true`."""
    if not words:
        return None
    first = words[0].text
    if first == "!":
        return not_(holds(words[1:], shell))
    if first in ("true", "false", ":") and len(words) == 1:
        return first != "false"
    closed = {"[": "]", "[[": "]]"}.get(first)
    if closed and words[-1].text == closed:
        inner, whole = words[1:-1], closed == "]]"
        empty = Word("", words[0].line, words[0].column, bare=False)
        if whole and len(inner) == 1 and inner[0].text in ("-n", "-z"):
            inner = [*inner, empty]  # `[[ -n $A ]]` with nothing in A
        elif whole and len(inner) == 2 and inner[0].text in ("=", "==", "!="):
            inner = [empty, *inner]
        return _expression(inner, shell, patterns=whole)
    return _expression(words[1:], shell, patterns=False) if first == "test" else None


def empty(words: Sequence[Word]) -> frozenset[str]:
    """The variables of which a condition asks whether they are empty: `[ -z "$A" ]`."""
    if not any(word.text in ("-z", "-n") or not (word.text or word.open) for word in words):
        return frozenset()
    names = (UNSET.fullmatch(word.open) for word in words if word.inner in ("", MARK))
    return frozenset(name[1] for name in names if name)


def _expression(words: Sequence[Word], shell: Shell, *, patterns: bool) -> Truth:
    if words and words[0].text == "!" and len(words) > 1:
        return not_(_expression(words[1:], shell, patterns=patterns))
    if len(words) == 1:
        text = _text(words[0], shell)
        return None if text is None else text != ""
    if len(words) == 2:
        return _of_one(words[0].text, words[1], shell)
    if len(words) == 3:
        return _of_two(words[0], words[1].text, words[2], shell, patterns=patterns)
    return None


def _of_one(asked: str, word: Word, shell: Shell) -> Truth:
    text = _text(word, shell)
    if asked == "-v":
        return True if word.text in shell.variables else None
    if text is None or asked not in ("-z", "-n", *FILES):
        return None
    if asked in FILES:
        return _exists(text, shell)
    return (text == "") == (asked == "-z")


def _of_two(one: Word, asked: str, other: Word, shell: Shell, *, patterns: bool) -> Truth:
    left, right = _text(one, shell), _text(other, shell)
    if left is None or right is None:
        return None
    if compare := NUMBERS.get(asked):
        known = NUMBER.fullmatch(left) and NUMBER.fullmatch(right)
        return compare(int(left), int(right)) if known else None
    if asked not in ("=", "==", "!="):
        return None
    same = fnmatchcase(left, right) if patterns and other.bare else left == right
    return same if asked != "!=" else not same


def _text(word: Word, shell: Shell) -> str | None:
    """The text of a word, "" for a variable that nothing sets; None if it is not known."""
    if not word.open:
        return word.text
    name = UNSET.fullmatch(word.open)
    unset = name and name[1] not in shell.variables and not OF_THE_MACHINE.fullmatch(name[1])
    return "" if unset and word.inner in ("", MARK) else None


def _exists(name: str, shell: Shell) -> Truth:
    """Whether a file is here. Folders of another machine may have it."""
    if not name:
        return False
    path, launcher = Path(name), shell.launcher
    above = [launcher.parent, *list(launcher.parent.parents)[:ABOVE]] if launcher else []
    try:
        if any((root / path).exists() for root in (Path.cwd(), *above)):
            return True
    except (OSError, ValueError):
        return None
    return None if path.is_absolute() or name.startswith("~") else False
