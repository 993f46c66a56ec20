"""Small mistakes in a script, as a person makes them while editing: one at a time, at any place.

Each function yields the edits of one kind that a script allows. An edit replaces the bytes between
two offsets; `drawn` takes a kind, then one of its edits, by a seed.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

HARNESS = {
    "use_cpu", "bf16", "fp16", "report_to", "max_steps", "save_strategy", "output_dir",
    "per_device_train_batch_size", "args",
}  # fmt: skip
"""Arguments that let the scripts run anywhere, and end soon: no user's mistakes are in them."""
OTHERWISE: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
OPPOSITE: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*",
}  # fmt: skip
WORD = re.compile(r"[A-Za-z_][\w.-]*")


@dataclass(frozen=True)
class Edit:
    """What stands between two offsets of a script, in bytes, instead of what is there."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    """A script with one mistake: its kind, the line that it begins on, and the lines it changed."""

    kind: str
    line: int
    before: str
    after: str
    script: str


class Source:
    """A script, its tree, and where its nodes are."""

    def __init__(self, script: str) -> None:
        self.bytes = script.encode()
        self.tree = ast.parse(script)
        lines = self.bytes.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self.nodes = list(ast.walk(self.tree))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The offsets where a node begins and ends."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        """What is written there."""
        start, end = self.span(node)
        return self.bytes[start:end].decode()

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """The edit that writes something else for a node."""
        return Edit(*self.span(node), text)

    def calls(self) -> Iterator[ast.Call]:
        """All calls."""
        return (node for node in self.nodes if isinstance(node, ast.Call))

    def constants(self, kind: type) -> Iterator[ast.Constant]:
        """Constants of exactly this type that are not a setting of the harness."""
        ours = {
            id(keyword.value)
            for call in self.calls()
            for keyword in call.keywords
            if keyword.arg in HARNESS
        }
        parts = {id(part) for n in self.nodes if isinstance(n, ast.JoinedStr) for part in n.values}
        for node in self.nodes:
            alone = id(node) not in ours | parts
            if isinstance(node, ast.Constant) and type(node.value) is kind and alone:
                yield node

    def bodies(self) -> Iterator[list[ast.stmt]]:
        """The statements of the script and of each function and branch in it."""
        for node in self.nodes:
            for name in ("body", "orelse"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body:
                    yield body


def argument_dropped(source: Source) -> Iterator[Edit]:
    """An argument by name is forgotten."""
    for call in source.calls():
        for keyword in call.keywords:
            if keyword.arg and keyword.arg not in HARNESS:
                start, end = source.span(keyword)
                comma = re.match(rb"\s*,[ \t]*", source.bytes[end:])
                yield Edit(start, end + (comma.end() if comma else 0), "")


def arguments_swapped(source: Source) -> Iterator[Edit]:
    """Two arguments of a call have each other's values."""
    for call in source.calls():
        values = [*call.args, *(word.value for word in call.keywords if word.arg not in HARNESS)]
        values.sort(key=source.span)
        for place, first in enumerate(values):
            for second in values[place + 1 :]:
                if kind_of(first) and kind_of(first) == kind_of(second):
                    (start, between), (after, end) = source.span(first), source.span(second)
                    middle = source.bytes[between:after].decode()
                    yield Edit(start, end, source.text(second) + middle + source.text(first))


def kind_of(node: ast.expr) -> str:
    """What kind of value stands there: only values of one kind are mixed up."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    return "name" if isinstance(node, ast.Name) else ""


def number_changed(source: Source) -> Iterator[Edit]:
    """A number has a digit more or less, is the next one, or is 0."""
    for node in source.constants(int):
        assert isinstance(node.value, int)
        for number in (node.value * 10, node.value // 10, node.value + 1, node.value - 1):
            if number != node.value:
                yield source.replaced(node, str(number))
    for node in source.constants(float):
        assert isinstance(node.value, float)
        for number in (node.value * 10, node.value / 10, node.value * 100, 0.0):
            if number != node.value:
                yield source.replaced(node, repr(float(f"{number:.6g}")))


def truth_changed(source: Source) -> Iterator[Edit]:
    """True for False, and the other way round."""
    for node in source.constants(bool):
        yield source.replaced(node, str(not node.value))


def text_changed(source: Source) -> Iterator[Edit]:
    """A word is another word of the script, or has a letter less."""
    nodes = [node for node in source.constants(str) if WORD.fullmatch(str(node.value))]
    words = sorted({str(node.value) for node in nodes})
    for node in nodes:
        word = str(node.value)
        for other in [*words, word[:-1], word + "s"]:
            if other and other != word:
                yield source.replaced(node, repr(other))


def comparison_changed(source: Source) -> Iterator[Edit]:
    """A comparison is the other way round, or a condition is negated."""
    for node in source.nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = source.text(node.left), source.text(node.comparators[0])
            yield source.replaced(node, f"{left} {OTHERWISE[type(node.ops[0])]} {right}")
        elif isinstance(node, ast.If | ast.IfExp):
            yield source.replaced(node.test, f"not ({source.text(node.test)})")


def operator_changed(source: Source) -> Iterator[Edit]:
    """Another operator of arithmetic, or `and` for `or`."""
    for node in source.nodes:
        if isinstance(node, ast.BinOp) and type(node.op) in OPPOSITE:
            left, right = source.text(node.left), source.text(node.right)
            yield source.replaced(node, f"({left} {OPPOSITE[type(node.op)]} {right})")
        elif isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield source.replaced(node, f"({word.join(map(source.text, node.values))})")


def index_changed(source: Source) -> Iterator[Edit]:
    """The first for the last, the rest for the beginning."""
    for node in source.nodes:
        if not isinstance(node, ast.Subscript):
            continue
        index = node.slice
        if isinstance(index, ast.Slice) and not index.step and index.lower and not index.upper:
            yield source.replaced(index, f":{source.text(index.lower)}")
        elif isinstance(index, ast.Slice) and not index.step and index.upper and not index.lower:
            yield source.replaced(index, f"{source.text(index.upper)}:")
        elif source.text(index) in ("0", "-1"):
            yield source.replaced(index, "-1" if source.text(index) == "0" else "0")


def statement_dropped(source: Source) -> Iterator[Edit]:
    """A line is forgotten that something else can do without."""
    named: set[str] = set()
    for body in source.bodies():
        for statement in body:
            again = False
            if isinstance(statement, ast.Assign):
                target = statement.targets[0]
                again = not isinstance(target, ast.Name) or target.id in named
                named |= {target.id} if isinstance(target, ast.Name) else set()
            call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if again or call or isinstance(statement, ast.AugAssign):
                yield source.replaced(statement, "pass")


def statements_swapped(source: Source) -> Iterator[Edit]:
    """Two statements that follow each other are in the other order."""
    simple = (ast.Assign, ast.Expr, ast.AugAssign)
    for body in source.bodies():
        for first, second in pairwise(body):
            if isinstance(first, simple) and isinstance(second, simple):
                (start, between), (after, end) = source.span(first), source.span(second)
                middle = source.bytes[between:after].decode()
                if "\n" in middle:
                    yield Edit(start, end, source.text(second) + middle + source.text(first))


def name_changed(source: Source) -> Iterator[Edit]:
    """Another variable of the script."""
    assigned = {
        target.id
        for node in source.nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in source.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in assigned:
            for other in sorted(assigned - {node.id}):
                yield source.replaced(node, other)


def call_dropped(source: Source) -> Iterator[Edit]:
    """A method is not called: `text` for `text.strip()`, `rows` for `rows.map(…)`."""
    for call in source.calls():
        if isinstance(call.func, ast.Attribute):
            yield source.replaced(call, source.text(call.func.value))


KINDS: dict[str, Callable[[Source], Iterator[Edit]]] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        argument_dropped, arguments_swapped, number_changed, truth_changed, text_changed,
        comparison_changed, operator_changed, index_changed, statement_dropped,
        statements_swapped, name_changed, call_dropped,
    )
}  # fmt: skip


def drawn(script: str, chance: random.Random) -> Mutant:
    """A mutant of a script: each kind that the script allows is as likely as any other."""
    source = Source(script)
    edits = {name: list(kind(source)) for name, kind in KINDS.items()}
    for _ in range(100):
        kind = chance.choice([name for name, of_kind in edits.items() if of_kind])
        mutant = mutated(source, kind, chance.choice(edits[kind]))
        if mutant:
            return mutant
    raise ValueError("no edit of this script is Python")


def mutated(source: Source, kind: str, edit: Edit) -> Mutant | None:
    """The script after an edit; None if it is no Python or the same program."""
    content = source.bytes[: edit.start] + edit.text.encode() + source.bytes[edit.end :]
    script = content.decode()
    try:
        if ast.dump(ast.parse(script)) == ast.dump(source.tree):
            return None
    except SyntaxError:
        return None
    begins = source.bytes.rfind(b"\n", 0, edit.start) + 1
    ends = source.bytes.find(b"\n", edit.end)
    tail = len(source.bytes) - (ends if ends >= 0 else len(source.bytes))
    line = source.bytes[: edit.start].count(b"\n") + 1
    before, after = source.bytes[begins : len(source.bytes) - tail], content[begins:]
    after = after[: len(after) - tail]
    return Mutant(kind, line, before.decode().strip(), after.decode().strip(), script)
