"""Limits in tokens that a script compares with the characters of its texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.assigned import assigned
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

LIMITS = ("max_length", "max_seq_length", "max_prompt_length", "max_completion_length",
          "max_new_tokens")  # fmt: skip
"""Arguments that count tokens."""

NO_TEXT = re.compile(
    r"ids|token|mask|label|messages|conversation|turns|dialog|image|tools", re.IGNORECASE
)
"""Parts of the names of columns whose length is not one of characters."""

OTHER = re.compile(r"tok|encode|split|ids")
"""Parts of what a script writes into a column that show that it is no text."""

AS_TEXT = re.compile(r"tokenize=False|decode|join")
"""Parts of it that show that it is one all the same."""

CHARACTERS = re.compile(r"char", re.IGNORECASE)
"""A part of the names of limits in characters."""

SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.comprehension,
          ast.ListComp, ast.GeneratorExp)  # fmt: skip
"""What has conditions of its own."""

TOKENS = re.compile(r"tok|encode|ids", re.IGNORECASE)
COUNTS = re.compile(r"count|n_?tok|num_?tok", re.IGNORECASE)
"""Parts of the names of tokens, and of functions that count them."""


TEXTS = frozenset({"answer", "completion", "content", "document", "prompt", "question", "text"})
"""Names of variables that hold a text, where nothing says otherwise."""


class Counted(Struct, frozen=True):
    """`what` is compared with `limit`, or cut there; `place` says where."""

    what: str
    limit: str
    place: Place
    cuts: bool = False


def characters_for_tokens(facts: Facts) -> list[Counted]:
    """Each comparison of a text's characters with a limit of tokens, and each cut at one.

    Raises as `code` does.

    A function that also counts tokens is left alone: no text has more tokens than characters, so
    it may look at the characters first.
    """
    parsed = facts[code]
    limits, others = _limits(parsed.whole), _columns_of_others(parsed.whole)
    return [
        Counted(ast.unparse(what), limit, parsed.place(node), isinstance(node, ast.Subscript))
        for scope in parsed.nodes
        if isinstance(scope, SCOPES)
        for nodes in (list(_own_nodes(scope)),)
        if not any(map(_counts_tokens, nodes))
        for node in nodes
        if isinstance(node, ast.Compare | ast.Subscript)
        for what, other in (*_compared(node, others), *_cut(node, nodes, others))
        if (limit := _limit(other, limits - _parameters(scope)))
    ]


def _compared(node: ast.AST, others: set[str]) -> list[tuple[ast.expr, ast.expr]]:
    """A length in characters, and what it is compared with."""
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return []
    return [sides for sides in _sides(node) if _counts_characters(sides[0], others)]


def _cut(node: ast.AST, nodes: list[ast.AST], others: set[str]) -> list[tuple[ast.expr, ast.expr]]:
    """A text of which a slice takes the first characters, and how many."""
    part = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or part.lower or part.step or part.upper is None:
        return []
    cut = node.value  # type: ignore[attr-defined]
    named = isinstance(cut, ast.Name) and cut.id in TEXTS and _all_texts(cut.id, nodes)
    return [(cut, part.upper)] if named or _is_text(cut, others) else []


def _all_texts(name: str, nodes: list[ast.AST]) -> bool:
    """Whether nothing else than a text is given to a name."""
    return all(_text(value) for target, value in assigned(nodes) if target == name)


def _counts_tokens(node: ast.AST) -> bool:
    """Whether it is `len(tokenizer(…)["input_ids"])`, or a function whose name says that."""
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    given = " ".join(map(ast.unparse, node.args)) if name == "len" else ""
    return bool(TOKENS.search(given) or COUNTS.search(name))


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes in it."""
    left = [scope]
    while left:
        for child in ast.iter_child_nodes(left.pop()):
            if not isinstance(child, SCOPES):
                yield child
                left.append(child)


def _parameters(scope: ast.AST) -> set[str]:
    given = scope.args if isinstance(scope, ast.FunctionDef | ast.Lambda) else None
    return {argument.arg for argument in (*given.args, *given.kwonlyargs)} if given else set()


def _columns_of_others(tree: ast.Module) -> set[str]:
    """The columns that the script fills with something other than texts."""
    return {
        key.value
        for key, value in _entries(tree)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and not _text(value)
    }


def _entries(tree: ast.Module) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """The keys and values of dictionaries, and those that are set later."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from zip(node.keys, node.values, strict=True)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield node.targets[0].slice, node.value


def _text(value: ast.expr) -> bool:
    """Whether a value may be a text."""
    if isinstance(value, ast.List | ast.ListComp | ast.Tuple | ast.Dict):
        return False
    shown = ast.unparse(value)
    return not OTHER.search(shown) or bool(AS_TEXT.search(shown))


def _limits(tree: ast.Module) -> set[str]:
    """The names that the script gives to arguments which count tokens."""
    return {
        word.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg in LIMITS and isinstance(word.value, ast.Name)
    }


def _sides(node: ast.Compare) -> Iterator[tuple[ast.expr, ast.expr]]:
    yield node.left, node.comparators[0]
    yield node.comparators[0], node.left


def _counts_characters(value: ast.expr, others: set[str]) -> bool:
    """Whether it is `len(row["text"])`, of a column that holds a text by its name."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args):
        return False
    return value.func.id == "len" and _is_text(value.args[0], others)


def _is_text(column: ast.expr, others: set[str]) -> bool:
    """Whether it is `row["text"]`, of a column that holds a text by its name."""
    key = column.slice if isinstance(column, ast.Subscript) else None
    text = key.value if isinstance(key, ast.Constant) else None
    named = isinstance(text, str) and text not in others and not NO_TEXT.search(text)
    return named and isinstance(column.value, ast.Name)  # type: ignore[attr-defined]


def _limit(value: ast.expr, limits: set[str]) -> str:
    """The name of a limit of tokens that is compared as it is, or with a number added to it."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        value = value.left
    name = "" if CHARACTERS.search(last_name(value)) else last_name(value)
    counts = name in limits or name in LIMITS or re.search(r"max_?(\w+_)?tok", name, re.IGNORECASE)
    return ast.unparse(value) if name and counts else ""
