"""Changes of a tokenizer that a script loads, and that its trainer does not get."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import Code, code

LOADERS = ("AutoTokenizer", "AutoProcessor")
ADDS = ("add_tokens", "add_special_tokens")
SETS = ("chat_template", "eos_token")
ONLY_READ = ("len", "print", "repr", "str", "type")
"""Functions that do no more with a tokenizer than read it."""

READS = ("get_vocab", "convert_tokens_to_ids", "convert_ids_to_tokens", "decode", "batch_decode")
"""Methods that leave no tokens in the rows."""


class LostChange(Struct, frozen=True):
    """`change` is made to the tokenizer `name`, and the trainer gets `instead`, "" for none.

    `adds` says that it adds tokens.
    """

    name: str
    change: str
    adds: bool
    instead: str
    place: Place


def lost_changes(facts: Facts) -> list[LostChange]:
    """Those of tokenizers that the script only loads and changes. Raises as `code` does."""
    parsed = facts[code]
    calls = [node for node in ast.walk(parsed.whole) if isinstance(node, ast.Call)]
    trainers = [call for call in calls if _called(call.func).endswith("Trainer")]
    trainers = [call for call in trainers if call.keywords or call.args]
    open_calls = any(word.arg is None for call in trainers for word in call.keywords)
    if not trainers or open_calls:
        return []
    instead = {ast.unparse(value) for call in trainers for value in _given(call)}
    return [
        change
        for name in sorted(_loaded(parsed.whole))
        for change in _lost(parsed, name, min(instead, default=""))
    ]


def _given(trainer: ast.Call) -> Iterator[ast.expr]:
    """The tokenizer that a call of a trainer's class gets."""
    yield from (
        word.value for word in trainer.keywords if word.arg in ("processing_class", "tokenizer")
    )


def _loaded(tree: ast.Module) -> set[str]:
    """The names that only ever hold a tokenizer as it is loaded."""
    given = [
        (target.id, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    other = {name for name, value in given if not _loads(value)}
    return {name for name, _ in given} - other


def _loads(value: ast.expr) -> bool:
    """Whether an expression is `AutoTokenizer.from_pretrained(…)`."""
    function = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "from_pretrained"
        and _called(function.value) in LOADERS
    )


def _lost(parsed: Code, name: str, instead: str) -> Iterator[LostChange]:
    """The changes of one tokenizer; none where anything else may get it."""
    above = {
        id(child): node for node in ast.walk(parsed.whole) for child in ast.iter_child_nodes(node)
    }
    changes: list[tuple[str, bool, ast.expr]] = []
    for node in ast.walk(parsed.whole):
        if not (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)):
            continue
        around = above[id(node)]
        if isinstance(around, ast.Attribute):
            method = _is_called(around, above[id(around)])
            if method and around.attr in ADDS:
                changes.append((f"{name}.{around.attr}(…)", True, around))
            elif isinstance(around.ctx, ast.Store) and around.attr in SETS:
                changes.append((f"{name}.{around.attr} = …", False, around))
            elif method and around.attr not in READS:
                return
        elif not (isinstance(around, ast.Call) and _called(around.func) in ONLY_READ):
            return
    for change, adds, where in changes:
        yield LostChange(name, change, adds, instead, parsed.place(where))


def _is_called(node: ast.Attribute, around: ast.AST) -> bool:
    return isinstance(around, ast.Call) and around.func is node


def _called(function: ast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))
