"""Functions that a script gives to `map` and that return nothing for some of the rows."""

from __future__ import annotations

import ast

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.script.code import code
from trl_doctor.facts.script.idle_maps import MappedRows, mapped_rows
from trl_doctor.facts.script.method_calls import calls_of_methods


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
    """Those of rows that the script has not filtered before. Raises as `code` does."""
    parsed = facts[code]
    filters = [parsed.order(call.node) for call in facts[calls_of_methods]
               if call.method == "filter"]  # fmt: skip
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
    """Whether a block surely returns, raises, or does what cannot be seen at once."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return not isinstance(last, ast.Assign | ast.AugAssign | ast.Pass | ast.For)
