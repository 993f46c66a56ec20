"""The words of a command line that an argparse parser of a script certainly refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from trl_doctor.core.similar import similar
from trl_doctor.files.source.objects import Instance, Option, Parser, Refusal
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, Outside, Plain
from trl_doctor.files.unknown_word import OPEN

HELP = ("-h", "--help")
NUMBER = re.compile(r"-\d")
NUMBERS = {"builtins.int": ("a whole number", int), "builtins.float": ("a number", float)}
SHOWN = 8
"""Choices that are shown."""


def note_refused(state: State, parser: Parser, argv: Sequence[str] | None, node: ast.AST) -> None:
    """Note what the parser refuses in these words, or in the user's own, if it surely gets them."""
    words = state.argv if argv is None else argv
    if words is None or state.trying or state.guards:
        return
    changed = "sys.argv" in state.patched or any(
        made.of.startswith("sys.argv") for made in state.made
    )
    if argv is not None or not changed:
        for refusal in refused_words(parser, words):
            state.refused.append((refusal, state.span(node)))


def note_missing(state: State, namespace: Instance, name: str, node: ast.AST) -> None:
    """Note an attribute that the script surely reads, and that no option of its parser gives."""
    if state.trying or state.guards or name.startswith("_"):
        return
    near = similar(name, namespace.attributes)
    refusal = Refusal(name, f"{LACKS} {name}, which the script reads", near[0] if near else "")
    if all(refusal != other for other, _ in state.refused):
        state.refused.append((refusal, state.span(node)))


LACKS = "has no option for"


def refused_words(parser: Parser, tokens: Sequence[str]) -> Iterator[Refusal]:
    """What is wrong with a command line. A word that is not known may be several options.

    An option may be shortened, as argparse allows.
    """
    if parser.open:
        return
    known = not any(OPEN in token for token in tokens)
    names = {*HELP, *(name for option in parser.options for name in option.names)}
    names |= {f"--no-{name[2:]}" for name in names if name.startswith("--")}
    words = tokens[: tokens.index("--")] if "--" in tokens else tokens
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    options = [flag for flag in options if OPEN not in flag]
    for flag in dict.fromkeys(options):
        if not any(name.startswith(flag) for name in names):
            near = similar(flag, (name for name in names if name.startswith("--")))
            yield Refusal(flag, f"does not know {flag}", near[0] if near else "")
    for option in parser.options:
        long = [name for name in option.names if name.startswith("-")]
        stated = any(_states(word, name) for word in words for name in long)
        if known and long and option.required and not stated and "default" not in option.keywords:
            yield Refusal(long[-1], f"needs {long[-1]}, which is not given")
    for at, word in enumerate(words):
        yield from _refused_value(parser, word, words[at + 1 :])


def _states(word: str, name: str) -> bool:
    """Whether a word names an option: whole, shortened, or with its value behind it."""
    if name.startswith("--"):
        return word.startswith("--") and name.startswith(word.partition("=")[0])
    return word.startswith(name)


def _refused_value(parser: Parser, word: str, behind: Sequence[str]) -> Iterator[Refusal]:
    """What is wrong with the value of an option that takes exactly one."""
    flag, equals, value = word.partition("=")
    options = [
        option for option in parser.options if flag.startswith("--") and flag in option.names
    ]
    if not options or options[0].kind != "store" or "nargs" in options[0].keywords:
        return
    if not equals:
        value = behind[0] if behind else ""
        if not behind or (value.startswith("-") and not NUMBER.match(value)):
            yield Refusal(flag, f"finds no value behind {flag}")
            return
    if OPEN in value:
        return
    if clause := _unfit(options[0], value):
        yield Refusal(flag, f"refuses {flag} {value}: {clause}")


def _unfit(option: Option, value: str) -> str:
    """Why an option does not take a word; "" if it takes it, or that is not known."""
    kind = option.keywords["type"].value if "type" in option.keywords else None
    name = kind.name if isinstance(kind, Outside) else ""
    typed: object = value
    if name in NUMBERS:
        noun, convert = NUMBERS[name]
        try:
            typed = convert(value)
        except ValueError:
            return f"it is not {noun}"
    elif kind is not None and name != "builtins.str":
        return ""
    choices = option.keywords["choices"].value if "choices" in option.keywords else None
    if not isinstance(choices, Many) or not all(
        isinstance(choice, Plain) for choice in choices.items
    ):
        return ""
    allowed = [choice.value for choice in choices.items if isinstance(choice, Plain)]
    if typed in allowed:
        return ""
    more = ", …" if len(allowed) > SHOWN else ""
    return f"it takes {', '.join(map(str, allowed[:SHOWN]))}{more}"
