"""What the statements of a script do, as far as that is known without running them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from trl_doctor.files.source import assignment, branches, definitions, merging, modules
from trl_doctor.files.source.objects import RETURNED, Scope, same
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, Plain, Table


def block(state: State, body: Sequence[ast.stmt], scope: Scope) -> bool:
    """Run statements in order; whether they end the block around them (return, raise, …)."""
    for statement in body:
        state.step()
        act = KINDS.get(type(statement))
        if act and act(state, statement, scope):
            return True
    return False


def _return(state: State, node: ast.Return, scope: Scope) -> bool:
    value = state.evaluate(node.value, scope)
    earlier = scope.names.get(RETURNED)
    if earlier is not None and not same(earlier, value):
        value = state.unknown(node, f"it depends on the case (`{state.shown(node)}`)")
    scope.names[RETURNED] = value
    return True


def _ends(state: State, node: ast.stmt, scope: Scope) -> bool:
    return True


def _raise(state: State, node: ast.Raise, scope: Scope) -> bool:
    if not state.guards and not state.trying and node.exc is not None:
        state.raised = state.raised or (state.shown(node.exc), state.span(node))
    return True


def _expression(state: State, node: ast.Expr, scope: Scope) -> bool:
    state.evaluate(node.value, scope)
    call = node.value
    if isinstance(call, ast.Call):
        name = ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""
        return name in ("exit", "quit", "sys.exit", "os._exit")
    return False


def _assign(state: State, node: ast.Assign, scope: Scope) -> bool:
    value = state.evaluate(node.value, scope)
    for target in node.targets:
        assignment.assign(state, target, value, scope, node)
    return False


def _annotated(state: State, node: ast.AnnAssign, scope: Scope) -> bool:
    if node.value is not None:
        assignment.assign(state, node.target, state.evaluate(node.value, scope), scope, node)
    return False


def _augmented(state: State, node: ast.AugAssign, scope: Scope) -> bool:
    change = ast.copy_location(ast.BinOp(_loaded(node.target), node.op, node.value), node)
    value = state.evaluate(change, scope)
    if isinstance(value, Many) and value.kind == "list" and not state.guards:
        before = state.evaluate(_loaded(node.target), scope)
        if isinstance(before, Many):  # the list itself has the new items, under all its names
            before.items, before.grows, before.literal = value.items, value.grows, False
            return False
    assignment.assign(state, node.target, value, scope, node)
    return False


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target


def _delete(state: State, node: ast.Delete, scope: Scope) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            _delete_item(state, target, scope)
    return False


def _delete_item(state: State, target: ast.Subscript, scope: Scope) -> None:
    owner, key = state.evaluate(target.value, scope), state.evaluate(target.slice, scope)
    if not isinstance(owner, Table):
        return
    if not isinstance(key, Plain):
        merging.loosen(owner, state.unknown(target))
        return
    why = f"it depends on `{state.guards[-1].text}`" if state.guards else ""
    merging.take(owner, key.value, state.unknown(target, why) if why else None)


def _global(state: State, node: ast.Global | ast.Nonlocal, scope: Scope) -> bool:
    for name in node.names:
        value = scope.top.names.get(name)
        if value is not None:
            scope.names[name] = value
    return False


KINDS: dict[type[ast.stmt], Callable[[State, Any, Scope], bool | None]] = {
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Continue: _ends,
    ast.Break: _ends,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: branches.if_,
    ast.For: branches.for_,
    ast.AsyncFor: branches.for_,
    ast.While: branches.while_,
    ast.With: branches.with_,
    ast.AsyncWith: branches.with_,
    ast.Try: branches.try_,
    ast.TryStar: branches.try_,
    ast.Match: branches.match_,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.FunctionDef: definitions.function,
    ast.AsyncFunctionDef: definitions.function,
    ast.ClassDef: definitions.cls,
    ast.Import: modules.plain_import,
    ast.ImportFrom: modules.from_import,
}
