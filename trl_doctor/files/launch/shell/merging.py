"""The variables of a shell where branches of its text come together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from trl_doctor.files.launch.shell.conditions import Truth
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word

Value = list[Word] | None

POSITIONAL = re.compile(r"\$\{?[1-9]\}? gives it")
"""Why a word is not known that the line which starts the file gives."""


class State(Struct, frozen=True):
    """The variables of a shell at one place of its text, and the folder that it is in.

    `lacking` are as in the shell.
    """

    variables: dict[str, Value]
    kept: dict[str, Word]
    exported: frozenset[str]
    folder: str = ""
    lacking: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @staticmethod
    def of(shell: Shell) -> State:
        """Those that the shell has now."""
        exported = frozenset(shell.exported)
        variables, lacking = dict(shell.variables), dict(shell.lacking)
        return State(variables, dict(shell.kept), exported, shell.folder, lacking)

    def into(self, shell: Shell) -> None:
        """Give the shell these variables."""
        shell.variables = dict(self.variables)
        shell.kept = dict(self.kept)
        shell.exported = set(self.exported)
        shell.folder = self.folder
        shell.lacking.clear()
        shell.lacking.update(self.lacking)


def merged(
    ends: Sequence[tuple[Truth, State]], line: int, tested: frozenset[str] = frozenset()
) -> State:
    """The variables behind branches that end so, each with whether it runs.

    `tested` are those of which the condition asks whether they are empty.
    """
    certain = [state for runs, state in ends if runs]
    states = certain[:1] or [state for runs, state in ends if runs is None]
    states = states or [state for _, state in ends[-1:]]
    first, others = states[0], states[1:]
    variables, kept = dict(first.variables), dict(first.kept)
    for state in others:
        for name in {**variables, **state.variables}:
            one, other = variables.get(name), state.variables.get(name)
            if _texts(one) != _texts(other):
                ways = ((first, one, other), (state, other, one)) if name in tested else ()
                fallback = next(filter(None, (_fallback(name, *way) for way in ways)), None)
                variables[name] = fallback or _common(one, other, line)
        for name, word in state.kept.items():
            kept.setdefault(name, word)
    for name in kept:
        words = variables.get(name)
        if others and words and any(word.open for word in words):
            kept[name] = words[-1]
    exported = frozenset().union(*(state.exported for state in states))
    same = all(state.folder == first.folder for state in states)
    lacking = dict(set.intersection(*(set(state.lacking.items()) for state in states)))
    return State(variables, kept, exported, first.folder if same else "", lacking)


def _fallback(name: str, state: State, own: Value, other: Value) -> Value:
    """The words of the other branch, where this one leaves a word that starts the file: `$2`.

    That is what `${2:-words}` means, and the file is mostly started without words.
    """
    word = state.kept.get(name)
    known = other is not None and not any(each.open for each in other)
    return other if own is None and known and word and POSITIONAL.match(word.open) else None


def _texts(value: Value) -> list[tuple[str, str]] | None:
    return None if value is None else [(word.inner, word.open) for word in value]


def _common(one: Value, other: Value, line: int) -> list[Word]:
    """The words that both values begin with, and one that is not known behind them."""
    reason = f"a condition in line {line} decides it" if line else "a condition decides it"
    unknown = Word("", max(1, line), 1, reason, marked=MARK)
    if not one or not other:
        return [unknown]
    if len(one) == len(other) == 1:
        texts = [word.inner.split() for word in (one[0], other[0])]
        shared = _begin(*texts)
        text = " ".join([*shared, MARK])
        return [Word(text.replace(MARK, ""), one[0].line, one[0].column, reason, marked=text)]
    shared_words = _begin([word.inner for word in one], [word.inner for word in other])
    return [*one[: len(shared_words)], unknown]


def _begin(one: list[str], other: list[str]) -> list[str]:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return one[:count]
