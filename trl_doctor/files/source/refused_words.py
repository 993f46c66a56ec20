"""The words of a command line that an argparse parser of a script certainly refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from trl_doctor.files.launch.flags import OPEN
from trl_doctor.files.source.objects import Parser
from trl_doctor.files.source.state import State

HELP = ("-h", "--help")


def note_refused(
    state: State, parser: Parser, written: Sequence[str] | None, node: ast.AST
) -> None:
    """Note what the parser refuses in these words, or in the user's own, if it surely gets them."""
    words = state.argv if written is None else written
    if words is None or state.trying or state.guards:
        return
    changed = "sys.argv" in state.patched or any(
        made.of.startswith("sys.argv") for made in state.made
    )
    if written is not None or not changed:
        for sentence in refused_words(parser, words):
            state.refused.append((sentence, state.span(node)))


def refused_words(parser: Parser, tokens: Sequence[str]) -> Iterator[str]:
    """What is wrong with a command line, a clause each; nothing where words are not known.

    An option may be shortened, as argparse allows.
    """
    if parser.open or any(OPEN in token for token in tokens):
        return
    names = {*HELP, *(name for option in parser.options for name in option.names)}
    names |= {f"--no-{name[2:]}" for name in names if name.startswith("--")}
    words = tokens[: tokens.index("--")] if "--" in tokens else tokens
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    for flag in dict.fromkeys(given):
        if not any(name.startswith(flag) for name in names):
            yield f"does not know {flag}"
    for option in parser.options:
        long = [name for name in option.names if name.startswith("-")]
        stated = any(_states(word, name) for word in words for name in long)
        if long and option.required and not stated and "default" not in option.given:
            yield f"needs {long[-1]}, which is not given"


def _states(word: str, name: str) -> bool:
    """Whether a word names an option: whole, shortened, or with its value behind it."""
    if name.startswith("--"):
        return word.startswith("--") and name.startswith(word.partition("=")[0])
    return word.startswith(name)
