"""The values that a loop of a shell text goes through, where the text names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.files.launch.shell.variables import Shell, Word

MOST = 6
"""The most values of a loop that are read: the first ones, and the last."""

RANGE = re.compile(r"\{(-?\d{1,6})\.\.(-?\d{1,6})\}")
BRACES = re.compile(r"\{[^{}]*\.\.[^{}]*\}")
"""A range with a step, of letters, or beside other text: it is not taken apart."""

LIST = re.compile(r"(.*?)\{([^{},]*(?:,[^{},]*)+)\}(.*)")
FILES = re.compile(r"[*?\[]")

Turn = Mapping[str, Word]
"""What a loop gives its variables in one turn."""


def turns(words: Sequence[Word], shell: Shell, *, all_of_them: bool) -> list[Turn]:
    """The turns of `for NAME in …` and of `while getopts …`; none where they are not known.

    A loop inside of another one goes through all its values in the first turn of the outer one.
    """
    if words[0].text == "while":
        return _options(words[1:], shell)
    if len(words) < 4 or words[2].text != "in" or any(word.open for word in words[3:]):
        return []
    values = [value for word in words[3:] for value in _values(word, shell)]
    if not values or any(word.bare and FILES.search(word.text) for word in values):
        return []
    values = [*values[: MOST - 1], *values[MOST - 1 :][-1:]]
    return [{words[1].text: value} for value in (values if all_of_them else values[:1])]


def _values(word: Word, shell: Shell) -> Iterator[Word]:
    """What a word stands for: `{1..3}`, `{a,b}`, the files of a pattern, or itself."""
    if word.bare and BRACES.search(word.text) and not RANGE.fullmatch(word.text):
        yield replace(word, open=f"{word.text} stands for several values")
        return
    for each in of_braces(word):
        is_pattern = each is word and word.bare and FILES.search(word.text)
        names = (_files(word.text, shell) or [word.text]) if is_pattern else ()
        yield from (_like(word, name) for name in names) if names else (each,)


def of_braces(word: Word) -> Iterator[Word]:
    """The words that a shell makes of `{1..3}` and `{a,b}`; any other word is itself."""
    if not word.bare:
        yield word
    elif match := RANGE.fullmatch(word.text):
        first, last = int(match[1]), int(match[2])
        step = 1 if last >= first else -1
        digits = [match[number].lstrip("-") for number in (1, 2)]
        width = max(map(len, digits)) if any(text[:1] == "0" < text[1:] for text in digits) else 0
        numbers = range(first, last + step, step)[:1000]
        yield from (_like(word, f"{number:0{width}d}") for number in numbers)
    elif match := LIST.fullmatch(word.text):
        yield from (_like(word, f"{match[1]}{part}{match[3]}") for part in match[2].split(","))
    else:
        yield word


def _like(word: Word, text: str) -> Word:
    return Word(text, word.line, word.column, bare=word.text == text)


def _files(pattern: str, shell: Shell) -> list[str]:
    """The files that a pattern names, from the working folder or the launch file's own."""
    if pattern.startswith(("/", "~")) or ".." in pattern:
        return []
    for root in (Path.cwd(), *([shell.launcher.parent] if shell.launcher else [])):
        try:
            found = sorted(root.joinpath(shell.folder).glob(pattern))[:1000]
        except (OSError, ValueError):
            return []
        if found:
            base = root / shell.folder
            return [str(path.relative_to(base)) for path in found]
    return []


def _options(words: Sequence[Word], shell: Shell) -> list[Turn]:
    """What `getopts` finds in the arguments; OPTIND is then known behind the loop."""
    given = shell.arguments.get("@", [])
    if shell.arguments and not given:
        shell.variables["OPTIND"] = [Word("1", 0, 0)]
    if len(words) < 3 or words[0].text != "getopts" or not given or any(w.open for w in given):
        return []
    known, name, found, at = words[1].text, words[2].text, list[Turn](), 0
    while at < len(given) and len(given[at].text) > 1 and given[at].text[0] == "-":
        word, letter = given[at], given[at].text[1]
        at += 1
        if word.text == "--":
            break
        turn = {name: _like(word, letter)}
        if f"{letter}:" in known:
            value = _like(word, word.text[2:]) if len(word.text) > 2 else None
            if value is None and at < len(given):
                value, at = given[at], at + 1
            turn["OPTARG"] = value or _like(word, "")
        elif len(word.text) > 2:
            return []  # several letters in one word
        found.append(turn)
    shell.variables["OPTIND"] = [Word(str(at + 1), 0, 0)]
    return found
