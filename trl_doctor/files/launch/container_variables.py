"""The variables that words before a command give it: `docker run -e`, `--env-file`, `env A=1`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trl_doctor.files.launch.shell.sourced import COMMENT, LINE, QUOTED, text_of
from trl_doctor.files.launch.shell.variables import MARK, NAME, Shell, Word

OPTIONS: dict[str, tuple[str, ...]] = {
    "docker": ("-e", "--env"),
    "apptainer": ("--env",),
    "srun": ("--export",),
}
"""The options of each program that set variables."""

LISTED = ("apptainer", "srun")
"""Programs that take several variables with commas between them."""

FILES = ("--env-file",)
ALL = ("--env-host", "--env-host=true")
"""Options of podman that pass all variables of the host."""


def pass_on(kind: str, words: Sequence[Word], outer: Shell, inner: Shell) -> None:
    """Give `inner`, the shell in a container, the variables that the words name.

    Docker passes no others of the host. An option wins over a file.
    """
    if kind == "docker" and not any(word.text in ALL for word in words):
        inner.variables, inner.kept, inner.exported = {}, {}, set()
    for file in _values(words, FILES) if kind in ("docker", "apptainer") else ():
        for name, value in _of_file(file, outer):
            inner.set(name, value, added=False, exported=True)
            inner.variables[name] = [value]  # with the reason of one that is not known
    for given in _values(words, OPTIONS.get(kind, ())):
        for part in _parts(given) if kind in LISTED else [given]:
            _set(part, outer, inner)


def given(shell: Shell, words: Sequence[Word]) -> Shell:
    """The shell of a program that these words start: `env A=1`, `sudo A=1`, `mpirun -x A=1`."""
    of_containers = {option for options in OPTIONS.values() for option in options}
    named = [
        (word, name)
        for before, word in pairwise([Word("", 0, 0), *words])
        for name, equals, _ in [word.text.partition("=")]
        if equals and NAME.fullmatch(name) and before.text not in of_containers
    ]
    if not named:
        return shell
    inner = shell.inner()
    for word, name in named:
        inner.set(name, word.behind(len(name) + 1), added=False, exported=True)
    return inner


def _set(given: Word, outer: Shell, inner: Shell) -> None:
    """`NAME=value`, or a `NAME` that is passed on if it is exported."""
    name, equals, _ = given.text.partition("=")
    if not NAME.fullmatch(name):
        return
    if equals:
        inner.set(name, given.behind(len(name) + 1), added=False, exported=True)
    elif name in outer.variables and name not in outer.kept:
        inner.variables[name] = outer.variables[name]
        inner.export(name)


def _parts(given: Word) -> Iterator[Word]:
    """The parts of a list with commas; of one that is not known, none."""
    for part in given.text.split(",") if not given.open else ():
        yield Word(part, given.line, given.column)


def _of_file(file: Word, shell: Shell) -> Iterator[tuple[str, Word]]:
    """The variables of a file. Docker takes what follows `NAME=` as it is."""
    text = text_of(file.text, shell.launcher) if shell.launcher and not file.open else ""
    for name, value in LINE.findall(text):
        if QUOTED.match(value) or COMMENT.search(value):
            why = f"Docker takes quotation marks and comments of {file.text} for a part of {name}"
            yield name, Word("", file.line, file.column, why, marked=MARK)
        else:
            yield name, Word(value, file.line, file.column)


def _values(words: Sequence[Word], options: Sequence[str]) -> Iterator[Word]:
    """The words that are values of options: `-e A=1`, `--env=A=1`."""
    for at, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        if name in options:
            if equals:
                yield word.behind(len(name) + 1)
            else:
                yield from words[at + 1 : at + 2]
