"""The statements of a script between the line that creates its trainer and the training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code


class Made(Struct, frozen=True):
    """A trainer that the script creates: its name, and the call of its class.

    `elsewhere` are the names that hold another object by now, or that a later trainer gets, too.
    """

    name: str
    call: ast.Call
    elsewhere: frozenset[str] = frozenset()

    def names(self, *arguments: str) -> set[str]:
        """The expressions for what this trainer alone holds under these names of arguments.

        `trainer.args`, and `args` where the trainer is created with `args=args`.
        """
        given = {word.arg: word.value for word in self.call.keywords if word.arg in arguments}
        names = {value.id for value in given.values() if isinstance(value, ast.Name)}
        own = {f"{self.name}.{argument}" for argument in arguments}
        return (names | own if self.name not in self.elsewhere else names) - self.elsewhere


def after_trainer(facts: Facts) -> list[tuple[Made, ast.stmt]]:
    """Each such statement, with its trainer. Raises as `code` does."""
    return [found for body in bodies(facts) for found in _between(body)]


def bodies(facts: Facts) -> list[list[ast.stmt]]:
    """The statements of the script outside of functions, and those of each function.

    Raises as `code` does.
    """
    parsed = facts[code]
    functions = (node for node in parsed.nodes if isinstance(node, ast.FunctionDef))
    each = (parsed.whole.body, *(function.body for function in functions))
    return [list(_in_order(body)) for body in each]


def _between(statements: list[ast.stmt]) -> Iterator[tuple[Made, ast.stmt]]:
    """Those of one function, or of the script outside of functions."""
    made: Made | None = None
    rebound = shared = frozenset[str]()
    for number, statement in enumerate(statements):
        if (created := _created(statement)) is not None:
            made, rebound = created, frozenset()
            shared = _given_to_trainers(statements[number + 1 :])
        elif _trains(statement):
            made = None
        elif made is not None:
            rebound |= _rebound(statement)
            yield Made(made.name, made.call, rebound | shared), statement


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, and those of `with` blocks and of the main part in their place."""
    for statement in body:
        inner = isinstance(statement, ast.With) or (
            isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test)
        )
        yield from _in_order(statement.body) if inner else [statement]  # type: ignore[attr-defined]


def _created(statement: ast.stmt) -> Made | None:
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(value, ast.Call):
        return None
    named = ast.unparse(value.func).endswith("Trainer")
    return Made(ast.unparse(statement.targets[0]), value) if named else None


def _given_to_trainers(statements: list[ast.stmt]) -> frozenset[str]:
    """The names that these statements give to a trainer's class, or to what may make a trainer."""
    return frozenset(
        value.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and "trainer" in ast.unparse(node.func).lower()
        for value in (*node.args, *(word.value for word in node.keywords))
        if isinstance(value, ast.Name)
    )


def _rebound(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement gives another object."""
    return frozenset(
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _trains(statement: ast.stmt) -> bool:
    called = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(getattr(node.func, "attr", "") == "train" for node in called)
