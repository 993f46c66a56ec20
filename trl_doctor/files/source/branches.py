"""Conditions, loops and exceptions of a script: what holds after them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from trl_doctor.files.source import assignment, operations, refusals, tried_imports
from trl_doctor.files.source.guards import guard
from trl_doctor.files.source.joined import again, joined
from trl_doctor.files.source.loops import loosen_items
from trl_doctor.files.source.merging import settles
from trl_doctor.files.source.objects import RETURNED, Scope, same
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Guard, LibraryObject, Many, Unknown, Value

CATCHING = ("contextlib.suppress", "pytest.raises")
ADDING = ("add_tokens", "add_special_tokens")


def if_(state: State, node: ast.If, scope: Scope) -> bool:
    truth = operations.true(state.evaluate(node.test, scope))
    if truth is not None:
        taken, other = (node.body, node.orelse) if truth else (node.orelse, node.body)
        if state.past and (refusal := refusals.refuses(taken)):
            refusals.forget(state, node, refusal, scope)
            return state.block(other, scope)
        return state.block(taken, scope)
    condition = guard(state, node.test, scope)
    turned = Guard(f"not ({condition.text})", condition.span)
    return branches(
        state,
        scope,
        [
            (condition, lambda: state.block(node.body, scope)),
            (turned, lambda: state.block(node.orelse, scope)),
        ],
    )


def branches(state: State, scope: Scope, cases: Sequence[tuple[Guard, Callable[[], bool]]]) -> bool:
    """Run several cases of which one happens; names that differ after them are not known."""
    before, ends = dict(scope.names), []
    after: list[dict[str, Value]] = []
    for alone, act in cases:
        scope.names = dict(before)
        state.guards.append(alone)
        ended = act()
        state.guards.pop()
        ends.append(ended)
        if ended:
            if RETURNED in scope.names:
                before[RETURNED] = scope.names[RETURNED]
        else:
            after.append(scope.names)
    scope.names = _merged(state, before, after, cases[0][0]) if after else before
    return all(ends)


def _merged(
    state: State, before: dict[str, Value], after: list[dict[str, Value]], guard: Guard
) -> dict[str, Value]:
    names = {name for scope in after for name in scope}
    merged: dict[str, Value] = {}
    for name in names:
        values = [scope.get(name) for scope in after]
        first = values[0]
        if first is not None and all(same(first, value) for value in values[1:]):
            merged[name] = first
        else:
            why = f"it depends on `{guard.text}` ({state.place(guard.span)})"
            merged[name] = joined(values, why, guard.span) or Unknown(why, guard.span)
    if RETURNED in before:
        merged[RETURNED] = before[RETURNED]
    return merged


def for_(state: State, node: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    iterated = state.evaluate(node.iter, scope)
    only = None
    if isinstance(iterated, Many) and len(iterated.items) == 1 and not iterated.grows:
        only = iterated.items[0]
    item = only or state.unknown(node.iter, f"it is one of `{state.shown(node.iter)}`")
    if (
        isinstance(iterated, Many)
        and (_only_adds(node) or (not iterated.grows and settles(state, node)))
        and state.has_room(len(iterated.items), node)
    ):
        for element in iterated.items:
            assignment.assign(state, node.target, element, scope, node)
            state.block(node.body, scope)
        state.block(node.orelse, scope)
        return False
    if only is None:
        loosen_items(state, node, scope)
    loop = Guard(f"for … in {state.shown(node.iter)}", state.span(node.iter))

    def body() -> bool:
        assignment.assign(state, node.target, item, scope, node)
        state.block(node.body, scope)
        return False

    if only is not None:
        body()
    else:
        branches(state, scope, [(loop, body), (loop, lambda: False)])
    state.block(node.orelse, scope)
    return False


def _only_adds(node: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop only adds tokens, each time: it can be read step by step."""
    return all(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr in ADDING
        for statement in node.body
    )


def while_(state: State, node: ast.While, scope: Scope) -> bool:
    loosen_items(state, node, scope)
    loop = Guard(f"while {state.shown(node.test)}", state.span(node.test))
    branches(
        state,
        scope,
        [
            (loop, lambda: state.block(node.body, scope) and False),
            (loop, lambda: False),
        ],
    )
    return False


def with_(state: State, node: ast.With | ast.AsyncWith, scope: Scope) -> bool:
    catches = False
    for item in node.items:
        value = state.evaluate(item.context_expr, scope)
        catches = catches or (isinstance(value, LibraryObject) and value.of in CATCHING)
        if item.optional_vars is not None:
            assignment.assign(state, item.optional_vars, value, scope, node)
    state.trying += catches
    ended = state.block(node.body, scope)
    state.trying -= catches
    return ended


def _imports(state: State, node: ast.Try | ast.TryStar, scope: Scope) -> bool | None:
    """Run a body of imports as the installed TRL lets it end; None if that is not known."""
    number, caught = tried_imports.failing(state, node), tried_imports.handler(node)
    if number is None or caught is None:
        return None
    state.trying += 1
    state.block(node.body[:number], scope)
    state.trying -= 1
    rest = node.orelse if number == len(node.body) else caught.body
    return state.block(rest, scope) or state.block(node.finalbody, scope)


def try_(state: State, node: ast.Try | ast.TryStar, scope: Scope) -> bool:
    if (known := _imports(state, node, scope)) is not None:
        return known
    before = dict(scope.names)
    state.trying += 1
    ended = state.block(node.body, scope)
    state.trying -= 1
    if not ended:
        ended = state.block(node.orelse, scope)
    after = dict(scope.names)
    for handler in node.handlers:
        handled = Guard("an exception", state.span(handler))
        scope.names = {**before}
        state.guards.append(handled)
        if handler.name:
            scope.names[handler.name] = state.unknown(handler, "it is an exception")
        stops = state.block(handler.body, scope)
        state.guards.pop()
        if not stops:
            touched = {k: v for k, v in scope.names.items() if not same(before.get(k), v)}
            for name, value in touched.items():
                if not same(after.get(name), value) and not again(after.get(name), value):
                    why = f"it depends on an exception ({state.place(handled.span)})"
                    both = joined([after.get(name), value], why, handled.span)
                    after[name] = both or Unknown(why, handled.span)
            if not touched:
                ended = False
    scope.names = after
    return state.block(node.finalbody, scope) or ended


def match_(state: State, node: ast.Match, scope: Scope) -> bool:
    state.evaluate(node.subject, scope)
    matched = Guard(f"match {state.shown(node.subject)}", state.span(node.subject))
    cases = [(matched, _case(state, case.body, scope)) for case in node.cases]
    return branches(state, scope, [*cases, (matched, lambda: False)])


def _case(state: State, body: list[ast.stmt], scope: Scope) -> Callable[[], bool]:
    return lambda: state.block(body, scope)
