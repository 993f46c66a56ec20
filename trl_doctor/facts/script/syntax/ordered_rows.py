"""Rows that a script puts in an order, as from easy to hard, before they are a data set."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import plain_text
from trl_doctor.facts.script.syntax.code import Code, code
from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.values import LibraryObject

MAKERS = ("from_list", "from_dict", "from_pandas", "concatenate_datasets")
HARDNESS = re.compile(
    r"difficult|curricul|complexity|hardness|easiness|easy|(?<![a-z])(?:level|tier|grade|stage)"
    r"|pass_?rate|solve_?rate|success_?rate",
    re.IGNORECASE,
)
"""What a key of an order is named that tells how hard a row is."""

NO_ORDER = re.compile(
    r"(?:.*_)?(?:id|ids|idx|index|uid|uuid|key|hash|name|names|path|file|url|text|prompt|question"
    r"|instruction|messages|source|split)",
    re.IGNORECASE,
)
"""Columns by which rows are sorted for other reasons than what is learned first."""

MEANT = re.compile(
    r"curricul|easy (?:rows |ones |examples |tasks )?first|easiest first"
    r"|(?<![a-z])easy[ _-]*(?:to|->|→|then)[ _-]*hard|hard (?:rows |ones |examples )?last",
    re.IGNORECASE,
)
MIXES = re.compile(r"shuffl|mix|random", re.IGNORECASE)
REPEATS = re.compile(
    r"determin|reproduc|repeatab|\bstable\b|\bsame\b[^\n]{0,30}\b(?:order|run|rows|result|time)"
    r"|\b(?:no|without(?: an?)?) curricul",
    re.IGNORECASE,
)
"""What a script says that orders its rows so that a seed gives the same run again."""

TIERS = re.compile(r"easy|easiest|hard|medium|(?:level|tier|stage|phase|grade)_?\d", re.IGNORECASE)
SAME_ORDER = ("reset_index", "copy", "to_dict")
"""Methods of a table that keep its rows in their order."""

LINES, DEEPEST = 3, 4
"""Lines of comments above an expression, and names and lists behind one another, that count."""


def order_of_rows(facts: Facts, made: LibraryObject) -> str:
    """The expression that orders the rows of a data set, "" for none. Raises as `code` does."""
    if made.short not in MAKERS or not made.of.startswith("datasets."):
        return ""
    parsed = facts[code]
    at = made.span.source, made.span.line, made.span.column
    calls = [node for node in parsed.nodes if isinstance(node, ast.Call)]
    found = (node for node in calls if last_name(node.func) == made.short)
    call = next((node for node in found if parsed.order(node) == at), None)
    if call is None or not call.args:
        return ""
    around = list(_around(parsed.parts[at[0]], call))
    for value in _given(call):
        if ordered := _Rows(parsed, at[0], around).order(value):
            return ordered
    return ""


def _given(call: ast.Call) -> Iterator[ast.expr]:
    """What the rows come from: the list, or that of the first column."""
    value = call.args[0]
    if isinstance(value, ast.Dict) and value.values:
        yield value.values[0]
    elif not isinstance(value, ast.Dict):
        yield value


def _around(tree: ast.Module, call: ast.Call) -> Iterator[list[ast.stmt]]:
    """The statements before a call in each block around it, up to its function; outermost first."""
    block: list[ast.stmt] | None = tree.body
    while block is not None:
        at = next((n for n, one in enumerate(block) if _contains(one, call)), len(block))
        if at == len(block):
            return
        yield block[: at + 1]
        block = next((inner for inner in _blocks(block[at])
                      if any(_contains(one, call) for one in inner)), None)  # fmt: skip


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _contains(statement: ast.AST, node: ast.AST) -> bool:
    return any(inner is node for inner in ast.walk(statement))


def is_sorted(facts: Facts, call: LibraryObject) -> bool:
    """Whether a data set is sorted, and not only to get the same run again."""
    if call.short != "sort" or not call.of.startswith("datasets."):
        return False
    lines = facts[code].file.places.pieces[call.span.source].lines
    near = "".join(lines[max(0, call.span.line - 1 - LINES) : call.span.line])
    by = plain_text(call.argument("column_names", 0))
    return NO_ORDER.fullmatch(by) is None and REPEATS.search(near) is None


class _Rows:
    """Where the rows of one data set come from."""

    def __init__(self, parsed: Code, part: int, around: list[list[ast.stmt]]) -> None:
        self.piece = parsed.file.places.pieces[part]
        ends = [block[-1] for block in around[:-1]]
        depth = max((n + 1 for n, end in enumerate(ends) if _is_function(end)), default=0)
        self.function = getattr(ends[depth - 1], "name", "") if depth else ""
        last = around[-1][-1]
        self.target = _target(last)
        self.before = [one for block in around[depth:] for one in block[:-1]]

    def order(self, value: ast.expr, depth: int = 0) -> str:
        """How an expression is ordered; "" if it is not, or its order is not surely meant."""
        if depth > DEEPEST:
            return ""
        if isinstance(value, ast.Name):
            return self._of_name(value.id, depth)
        if isinstance(value, ast.ListComp) and len(value.generators) == 1:
            first = value.generators[0]
            return "" if first.ifs else self.order(first.iter, depth + 1)
        if isinstance(value, ast.Call) and last_name(value.func) in SAME_ORDER:
            owner = value.func.value if isinstance(value.func, ast.Attribute) else None
            return self.order(owner, depth + 1) if owner is not None else ""
        if isinstance(value, ast.Subscript) and _is_column(value.slice):
            return self.order(value.value, depth + 1)
        if isinstance(value, ast.Call) and _sorts(value):
            return self._meant(value, HARDNESS.search(ast.unparse(value)) is not None)
        tiers = _joined(value)
        if len(tiers) > 1 and all(map(TIERS.search, tiers)):
            return self._meant(value, False)
        return ""

    def _of_name(self, name: str, depth: int) -> str:
        """By the last statement before the data set is made that touches the name."""
        for at in range(len(self.before) - 1, -1, -1):
            statement = self.before[at]
            if _takes_some(statement, name):
                return ""
            if not _touches(statement, name):
                continue
            self.before = self.before[:at]
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                self.target = _target(statement)
                return self.order(statement.value, depth + 1) if self.target == name else ""
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and _sorts(call) and _owner(call) == name:
                return self._meant(call, HARDNESS.search(ast.unparse(call)) is not None)
            return ""
        return ""

    def _meant(self, node: ast.expr, hardness: bool) -> str:
        """The expression, if a name or a comment says that its order is meant."""
        end = node.end_lineno or node.lineno
        near = "".join(self.piece.lines[max(0, node.lineno - 1 - LINES) : end])
        said = MEANT.search(f"{near} {self.target} {self.function}".replace("_", " "))
        if MIXES.search(near) or REPEATS.search(near) or not (hardness or said):
            return ""
        text = ast.unparse(node)
        return text if len(text) <= 60 else f"{text[:59]}…"


def _is_function(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)


def _target(statement: ast.stmt) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _sorts(call: ast.Call) -> bool:
    """`sorted(rows, key=…)`, `rows.sort(key=…)` and `table.sort_values(…)`."""
    keyed = any(word.arg == "key" for word in call.keywords)
    if isinstance(call.func, ast.Name):
        return call.func.id == "sorted" and keyed
    name = last_name(call.func)
    return (name == "sort" and keyed) or name == "sort_values"


def _owner(call: ast.Call) -> str:
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _takes_some(statement: ast.stmt, name: str) -> bool:
    """Whether a statement takes rows by their places: the order may be for these alone."""
    return any(
        isinstance(node, ast.Subscript)
        and _is_named(node.value, name)
        and not _is_column(node.slice)
        for node in ast.walk(statement)
    )


def _is_column(slice_: ast.expr) -> bool:
    """Whether a table or a row gives columns by these names."""
    names = slice_.elts if isinstance(slice_, ast.List) else [slice_]
    return all(isinstance(name, ast.Constant) and isinstance(name.value, str) for name in names)


def _touches(statement: ast.stmt, name: str) -> bool:
    """Whether a statement may give a name another value, or change what it holds."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.Call) and any(_is_named(value, name) for value in _reached(node)):
            return True
    return False


def _reached(call: ast.Call) -> list[ast.expr]:
    """What a call may change: the owner of its method, and what it gets but only reads."""
    if last_name(call.func) in ("len", "print", "enumerate", "zip", "info", "set", "Counter"):
        return []
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return [*owner, *call.args]


def _is_named(value: ast.expr, name: str) -> bool:
    return isinstance(value, ast.Name) and value.id == name


def _joined(value: ast.expr) -> list[str]:
    """The names in `[a, b]`, `a + b` and `[*a, *b]`; none if there is anything else."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        sides = [_joined(value.left), _joined(value.right)]
        return [*sides[0], *sides[1]] if all(sides) else []
    if isinstance(value, ast.Name):
        return [value.id]
    parts = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    inner = [part.value if isinstance(part, ast.Starred) else part for part in parts]
    names = [part.id for part in inner if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []
