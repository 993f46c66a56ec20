"""Functions that a script gives to `map` and that return nothing for some of the rows."""

from __future__ import annotations

import ast

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.idle_maps import MappedRows, mapped_rows
from trl_doctor.facts.script.syntax.method_calls import Called, calls_of_methods
from trl_doctor.files.source.names import last_name


class SkippingMap(Struct, frozen=True):
    """`rows.map(function)`, whose function returns None for some rows.

    `processes` says that several processes share the rows, `streams` that the script streams rows.
    """

    rows: str
    function: str
    processes: bool
    streams: bool
    place: Place


def skipping_maps(facts: Facts) -> list[SkippingMap]:
    """Those of rows that the script has not chosen before. Raises as `code` does."""
    parsed = facts[code]
    filters = [parsed.order(call.node) for call in facts[calls_of_methods] if _chooses(call)]
    streams = any(
        isinstance(node, ast.keyword)
        and node.arg == "streaming"
        and not (isinstance(node.value, ast.Constant) and not node.value.value)
        for node in parsed.nodes
    )
    return [
        SkippingMap(
            each.call.name,
            each.function.name,
            "num_proc" in each.words,
            streams,
            parsed.place(each.call.node),
        )
        for each in facts[mapped_rows]
        if _skips(each.function) and not _filtered(each, filters, parsed.order(each.call.node))
    ]


def _chooses(call: Called) -> bool:
    """Whether a call leaves rows out by what they are, and not by their numbers alone."""
    first = call.node.args[0] if call.node.args else None
    counted = isinstance(first, ast.Call) and last_name(first.func) == "range"
    return call.method == "filter" or (call.method == "select" and not counted)


def _filtered(
    each: MappedRows, filters: list[tuple[int, int, int]], at: tuple[int, int, int]
) -> bool:
    """Whether rows are filtered before: those that give None may be gone then."""
    return "filter(" in ast.unparse(each.call.node.func) or any(order < at for order in filters)


def _skips(node: ast.FunctionDef) -> bool:
    """Whether it gives a row for some rows, and None for others."""
    values = returned_values(node)
    rows = [value for value in values if value is not None and not _is_none(value)]
    yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in body_nodes(node))
    if node.decorator_list or yields or not rows:
        return False
    return len(rows) < len(values) or any(map(_may_be_none, rows)) or not _ends(node.body)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _may_be_none(value: ast.expr) -> bool:
    return isinstance(value, ast.IfExp) and (_is_none(value.body) or _is_none(value.orelse))


def _ends(body: list[ast.stmt]) -> bool:
    """Whether a block surely returns, raises, or does what cannot be seen at once.

    So may a loop that looks for what it returns, and conditions that name all kinds of rows.
    """
    last = body[-1]
    if isinstance(last, ast.For):
        return _gives_row(last)
    if isinstance(last, ast.If) and not last.orelse:
        before = body[-2] if len(body) > 1 else None
        return isinstance(before, ast.If) and _gives_row(before) and _gives_row(last)
    if isinstance(last, ast.If):
        kinds = isinstance(last.orelse[0], ast.If) and not last.orelse[0].orelse
        return _ends(last.body) and (kinds or _ends(last.orelse))
    return not isinstance(last, ast.Assign | ast.AugAssign | ast.Pass)


def _gives_row(block: ast.stmt) -> bool:
    """Whether a statement of a block returns something."""
    inner = [node for node in ast.walk(block) if isinstance(node, ast.Return)]
    return bool(inner) and all(
        node.value is not None and not _is_none(node.value) for node in inner
    )
