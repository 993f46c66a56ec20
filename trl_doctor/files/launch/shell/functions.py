"""The functions of a shell text: what they do where they are called, with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import itemgetter

from trl_doctor.files.launch.shell.variables import MARK, Inside, Shell, Word

NAMED = r"^([ \t]*)(?:function[ \t]+([\w.-]+)[ \t]*(?:\([ \t]*\))?|([\w.-]+)[ \t]*\([ \t]*\))"
COMMENTED = r"[ \t]*(?:#.*)?$"
DEFINED = re.compile(rf"{NAMED}\s*\{{{COMMENTED}", re.MULTILINE)
ONE_LINE = re.compile(rf"{NAMED}[ \t]*\{{(?P<body>[ \t].*;)[ \t]*\}}{COMMENTED}", re.MULTILINE)
DOCUMENT = re.compile(r"<<-?[ \t]*['\"]?(\w+)['\"]?.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
CHANGES = re.compile(r"\bset[ \t]+--")
"""What changes the arguments of a function while it runs."""

LEADS = ("if", "elif", "while", "until", "!", "then", "do", "else", "time")
LOCAL = ("local", "readonly", "typeset")
"""What can stand before an assignment in a function."""


def set_aside(text: str, first: int, shell: Shell) -> str:
    """The text without the functions that it calls, which the shell keeps; their lines are empty.

    One that is called nowhere stays where it is. `first` is the number of the text's first line.
    """
    if "{" not in text:
        return text
    taken = [match.span() for match in DOCUMENT.finditer(text)]
    found: list[tuple[int, int, str]] = []
    calls = COMMENT.sub(lambda match: " " * len(match[0]), text)
    for name, start, begin, end, stop in _defined(text):
        if any(above < start < below for above, below in taken):
            continue
        taken.append((start, stop))
        called = re.compile(rf"(?<![\w./$-]){re.escape(name)}(?![\w.=/-]|[ \t]*\()")
        body, outside = text[begin:end], calls[:start] + calls[stop:]
        if called.search(outside) and not CHANGES.search(body):
            shell.functions[name] = Inside(body, first + text.count("\n", 0, begin))
            found.append((start, stop, name))
    for start, stop, _ in reversed(found):
        text = text[:start] + "\n" * text.count("\n", start, stop) + text[stop:]
    return text


def _defined(text: str) -> Iterator[tuple[str, int, int, int, int]]:
    """Each function by its name, with where it and its body begin and end."""
    found = []
    for match in DEFINED.finditer(text):
        if end := re.compile(rf"^{match[1]}\}}", re.MULTILINE).search(text, match.end()):
            found.append((_name(match), match.start(), match.end(), end.start(), end.end()))
    for match in ONE_LINE.finditer(text):
        found.append((_name(match), match.start(), *match.span("body"), match.end()))
    yield from sorted(found, key=itemgetter(1))


def _name(match: re.Match[str]) -> str:
    return match[2] or match[3]


def called(words: Sequence[Word], shell: Shell) -> tuple[Inside, Sequence[Word]] | None:
    """The function that a command calls, with its arguments; None if it calls none."""
    for at, word in enumerate(words[:3]):
        if word.bare and word.text in shell.functions:
            return shell.functions[word.text], words[at:]
        if word.text not in LEADS:
            break
    return None


def entered(shell: Shell, words: Sequence[Word]) -> Shell:
    """The shell in which the function runs that these words call: its own arguments are set.

    It is not called again inside. What else it sets stays, as in the shell itself.
    """
    inner = shell.inner()
    inner.variables, inner.kept, inner.files = shell.variables, shell.kept, shell.files
    inner.functions = {key: body for key, body in shell.functions.items() if key != words[0].text}
    inner.arguments = arguments(words)
    return inner


def left(inner: Shell, shell: Shell) -> None:
    """Give the shell what the function in it has set so far, and the folder that it is in."""
    shell.variables, shell.kept = inner.variables, inner.kept
    shell.exported, shell.exports_all = inner.exported, inner.exports_all
    shell.folder = inner.folder


def shift(shell: Shell, words: Sequence[Word], happens: bool | None) -> None:
    """`shift` or `shift 2`; where it is not known whether it runs, no argument is known behind."""
    count = words[1].text if len(words) > 1 else "1"
    if happens is None or (happens and not count.isdigit()):
        shell.arguments = {}
    elif happens:
        shell.arguments = arguments([words[0], *shell.arguments["@"][int(count) :]])


def arguments(words: Sequence[Word]) -> dict[str, list[Word]]:
    """`$1`, `$@` and their kind for what these words start; the first is its name."""
    whole = list(words[1:])
    numbered = {str(number): whole[number - 1 : number] for number in range(1, 10)}
    count = MARK if any(word.open for word in whole) else str(len(whole))
    line, column = words[0].line, words[0].column
    return {**numbered, "@": whole, "*": whole, "#": [Word(count, line, column)]}
