"""Where a script takes the last of the names of checkpoints, sorted as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

LISTS = ("glob", "listdir", "iterdir", "scandir")
WORD = "checkpoint"
INSIDE = re.compile(r"checkpoint[-_]?\d+(?:/|$)")
"""A part of a path that names one checkpoint, in which files are listed."""

NUMBERS = frozenset({"int", "float", "getmtime", "getctime", "stat"})
"""Functions that make a number of a name."""


def checkpoint_taken_by_text(facts: Facts) -> list[tuple[Place, str]]:
    """Each place with its expression: `sorted(…)[-1]`, `names[-1]` or `max(names)`."""
    parsed = facts[code]
    if any(map(_pads, parsed.nodes)):
        return []
    return [(parsed.place(node), ast.unparse(node)) for node in _taken(parsed.whole)]


def _pads(node: ast.AST) -> bool:
    """Whether it is a name with zeros before its number: such names are in order as text."""
    if not isinstance(node, ast.JoinedStr) or WORD not in ast.unparse(node):
        return isinstance(node, ast.Attribute) and node.attr == "zfill"
    specs = [part.format_spec for part in node.values if isinstance(part, ast.FormattedValue)]
    return any(re.match(r"f?['\"]0\d", ast.unparse(spec)) for spec in specs if spec)


def _taken(parsed: ast.Module) -> Iterator[ast.expr]:
    names = _Names(parsed)
    for node in ast.walk(parsed):
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "-1":
            if names.sorted_as_text(node.value):
                yield node
        elif _is_call(node, "max") and isinstance(node, ast.Call) and names.listed(node.args[0]):
            yield node


class _Names:
    """What names hold, as far as assignments show it."""

    def __init__(self, parsed: ast.Module) -> None:
        self.values: dict[str, list[ast.expr]] = {}
        self.sorted: dict[str, bool] = {}
        for node in ast.walk(parsed):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.values.setdefault(target.id, []).append(node.value)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._note_sort(node, node.func)

    def _note_sort(self, call: ast.Call, function: ast.Attribute) -> None:
        if function.attr == "sort" and isinstance(function.value, ast.Name):
            name = function.value.id
            self.sorted[name] = self.sorted.get(name, True) and not call.keywords

    def sorted_as_text(self, value: ast.expr) -> bool:
        """Whether names of checkpoints are sorted without a key, in place or by a call."""
        if _is_call(value, "sorted"):
            return isinstance(value, ast.Call) and self.listed(value.args[0])
        if not isinstance(value, ast.Name):
            return False
        last = self.values.get(value.id, [])[-1:]
        if self.sorted.get(value.id):
            return self.listed(value)
        return bool(last) and _is_call(last[0], "sorted") and self.sorted_as_text(last[0])

    def listed(self, value: ast.expr, depth: int = 0) -> bool:
        """Whether a value is a list of the names of checkpoints."""
        if isinstance(value, ast.Name):
            return depth < 4 and any(
                self.listed(one, depth + 1) for one in self.values.get(value.id, [])
            )
        text = ast.unparse(value)
        if WORD in text and any(word in text for word in LISTS):
            return not _no_names(value)
        inner = value.args[0] if _is_call(value, "list", "sorted") else None  # type: ignore[attr-defined]
        return inner is not None and depth < 4 and self.listed(inner, depth + 1)


def _no_names(value: ast.expr) -> bool:
    """Whether a list that is made of names has numbers, or is one of files in a checkpoint."""
    inside = list(ast.walk(value))
    made = value.elt if isinstance(value, ast.ListComp | ast.GeneratorExp) else value
    names = set(map(last_name, ast.walk(made)))
    texts = [node.value for node in inside if isinstance(node, ast.Constant)]
    files = any(isinstance(text, str) and INSIDE.search(text) for text in texts)
    return files or bool(names & NUMBERS)


def _is_call(node: ast.AST, *names: str) -> bool:
    """Whether it is a call of a builtin with one argument, without a key."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
        and len(node.args) == 1
        and not node.keywords
    )
