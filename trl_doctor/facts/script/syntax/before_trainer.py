"""The part of a script that makes one argument of its trainer, without models and training."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.script.syntax.beside import Beside
from trl_doctor.facts.script.syntax.free_names import bound_in, free, root, shared
from trl_doctor.facts.script.syntax.job_calls import call_of_job
from trl_doctor.facts.script.syntax.name_changes import Own, changes

DEEPEST = 4
"""Functions that call each other, from the module to the one that makes the trainer."""

BLOCKS = (ast.If, ast.With, ast.For, ast.While, ast.Try)

Spot: TypeAlias = "tuple[int, int]"
"""The line and the column of a statement or a call, as `ast` counts them."""


class Part(Struct, frozen=True):
    """Statements by their spots: those that are needed, and the blocks of which only these run.

    `wide` are these and all others that load no model. The statement `last` makes the trainer.
    `caught` says that the script catches errors there.
    """

    runs: tuple[Spot, ...]
    opens: tuple[Spot, ...]
    wide: tuple[tuple[Spot, ...], tuple[Spot, ...]]
    last: Spot
    caught: bool = False


class _At(Struct, frozen=True):
    """A statement, and the blocks around it in its module or function, outermost first."""

    scope: ast.Module | ast.FunctionDef
    around: tuple[ast.stmt, ...]
    statement: ast.stmt


def before_trainer(text: str, call: Spot, argument: str) -> Part:
    """What an argument of the call at this place needs; raises `Unavailable` if it is no part."""
    tree = ast.parse(text)
    path = _path_to(tree, call)
    value = _argument(path[-1] if path else None, argument)
    statements = [node for node in path if isinstance(node, ast.stmt)]
    scopes = [node for node in statements if isinstance(node, ast.FunctionDef)]
    others = (ast.ClassDef, ast.AsyncFunctionDef, ast.Lambda)
    if value is None or len(scopes) > 1 or any(isinstance(node, others) for node in path):
        raise Unavailable(f"{argument} is not a plain argument of the trainer")
    inside = statements[statements.index(scopes[0]) + 1 :] if scopes else statements
    last = _At(scopes[0] if scopes else tree, tuple(inside[:-1]), statements[-1])
    parts, chain, beside = _Parts(tree), _chain(tree, last), Beside(tree)
    parts.add(chain, free(value))
    beside.add([list(_before(at)) for at in chain], parts.scopes)
    wide = _spots(parts.kept | beside.run), _spots(parts.opened | beside.opened)
    caught = any(isinstance(block, ast.Try) for at in chain for block in at.around)
    return Part(_spots(parts.kept), _spots(parts.opened), wide, _spot(last.statement), caught)


def _argument(call: ast.AST | None, name: str) -> ast.expr | None:
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((given.value for given in keywords if given.arg == name), None)


def _spot(node: ast.stmt) -> Spot:
    return node.lineno, node.col_offset


def _spots(statements: set[ast.stmt]) -> tuple[Spot, ...]:
    return tuple(sorted(map(_spot, statements)))


def _path_to(tree: ast.AST, call: Spot) -> list[ast.AST]:
    """The nodes around a call, outermost first, and the call itself; none if it is not there.

    Of `f(x).train()` it is the first call, which begins at the same place.
    """
    for node in ast.iter_child_nodes(tree):
        if getattr(node, "end_lineno", None) and not _holds(node, call[0]):
            continue
        if inner := _path_to(node, call):
            return [node, *inner]
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == call:
            return [node]
    return []


def _holds(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", 0) <= line <= getattr(node, "end_lineno", 0)


def _chain(tree: ast.Module, last: _At) -> list[_At]:
    """The statements that run one in the other until the trainer is made, outermost first.

    Raises `Unavailable` if its function is called in several places, or in none.
    """
    chain = [last]
    while isinstance(function := chain[0].scope, ast.FunctionDef):
        calls = list(_calls(tree, tree, function.name, ()))
        if function not in tree.body or len(chain) > DEEPEST or len(calls) != 1:
            raise Unavailable(f"{function.name} is called in {len(calls)} places")
        chain.insert(0, calls[0])
    return chain


def _calls(
    scope: ast.Module | ast.FunctionDef, block: ast.AST, name: str, around: tuple[ast.stmt, ...]
) -> Iterator[_At]:
    """The statements that call a function of the module by its name."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.FunctionDef) and isinstance(scope, ast.Module):
            yield from _calls(node, node, name, ())
        elif isinstance(node, BLOCKS) and isinstance(node, ast.stmt):
            yield from _calls(scope, node, name, (*around, node))
        elif isinstance(node, ast.ExceptHandler):
            yield from _calls(scope, node, name, around)
        elif isinstance(node, ast.stmt) and _is_called(node, name):
            yield _At(scope, around, node)


def _is_called(statement: ast.stmt, name: str) -> bool:
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == name for call in calls)


class _Parts:
    """Collects the statements that are `kept`, and the blocks `opened` for some of them."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        imports = (node for node in nodes if isinstance(node, ast.Import))
        modules = (name for node in imports for name in bound_in(node))
        self._own = Own(functions, frozenset(modules))
        self.kept = set[ast.stmt]()
        self.opened = set[ast.stmt]()
        self.scopes = set[ast.stmt]()

    def add(self, chain: Sequence[_At], names: set[str]) -> None:
        """Keep what gives these names their values before the last statement of a chain."""
        for at in reversed(chain):
            for block in at.around:
                self._open(block, names)
            if at is not chain[-1]:
                self._keep(at.statement, names)
            before = list(_before(at))
            self._add_before(before, names)
            if isinstance(at.scope, ast.FunctionDef):
                self.opened.add(at.scope)
                self.scopes.add(at.scope)
                own = {name for statement in before for name in bound_in(statement)}
                own |= {node.arg for node in ast.walk(at.scope.args) if isinstance(node, ast.arg)}
                header = [*at.scope.args.defaults, *at.scope.decorator_list]
                header += [default for default in at.scope.args.kw_defaults if default]
                names -= own - shared(at.scope)
                names |= set[str]().union(*map(free, header))

    def _open(self, block: ast.stmt, names: set[str]) -> None:
        self.opened.add(block)
        if isinstance(block, ast.If | ast.While):
            names |= free(block.test)
        elif isinstance(block, ast.For):
            names |= free(block.iter)
        elif isinstance(block, ast.With):
            names |= set[str]().union(*(free(item.context_expr) for item in block.items))

    def _keep(self, statement: ast.stmt, names: set[str]) -> None:
        if reason := call_of_job(statement):
            raise Unavailable(f"line {reason}")
        self.kept.add(statement)
        names |= free(statement)

    def _add_before(self, statements: Sequence[ast.stmt], names: set[str]) -> None:
        """Keep those that change one of the names, which grow with them."""
        size = -1
        while size != (size := len(names) + len(self.kept)):
            for statement in reversed(statements):
                self._look_at(statement, names)

    def _look_at(self, statement: ast.stmt, names: set[str]) -> None:
        if statement in self.kept or statement in self.scopes:
            return
        names |= _other_names(statement, names)
        if not changes(statement, names, self._own):
            return
        if not isinstance(statement, ast.If):
            self._keep(statement, names)
            return
        self._open(statement, names)
        for inner in reversed([*statement.body, *statement.orelse]):
            self._look_at(inner, names)


def _other_names(statement: ast.stmt, names: Collection[str]) -> set[str]:
    """The name that a statement gives, beside its own, to what one of these names stands for."""
    if not isinstance(statement, ast.Assign) or isinstance(statement.value, ast.Call):
        return set()
    targets = [target for target in statement.targets if isinstance(target, ast.Name)]
    same = isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript)
    return {target.id for target in targets} if same and root(statement.value) in names else set()


def _before(at: _At) -> Iterator[ast.stmt]:
    """The statements that run before one, in its scope: those of the blocks around it."""
    ends = [*at.around, at.statement]
    block: ast.AST = at.scope
    for end in ends:
        for statement in _block_of(block, end):
            if statement is end:
                break
            yield statement
        block = end


def _block_of(owner: ast.AST, statement: ast.stmt) -> Sequence[ast.stmt]:
    """The list of statements in which one stands."""
    lists = [getattr(owner, name, []) for name in ("body", "orelse", "finalbody")]
    lists += [handler.body for handler in getattr(owner, "handlers", [])]
    return next((each for each in lists if statement in each), [])
