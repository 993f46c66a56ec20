"""The statements of a script between the line that creates its trainer and the training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import code


class Made:
    """A trainer that the script creates: its name, and the call of its class."""

    def __init__(self, name: str, call: ast.Call) -> None:
        self.name, self.call = name, call

    def names(self, *arguments: str) -> set[str]:
        """The expressions for what the trainer holds under these names of arguments.

        `trainer.args`, and `args` where the trainer is created with `args=args`.
        """
        given = {word.arg: word.value for word in self.call.keywords if word.arg in arguments}
        names = {value.id for value in given.values() if isinstance(value, ast.Name)}
        return names | {f"{self.name}.{argument}" for argument in arguments}


def after_trainer(facts: Facts) -> list[tuple[Made, ast.stmt]]:
    """Each such statement, with its trainer. Raises as `code` does."""
    made: Made | None = None
    between = []
    for statement in _in_order(facts[code].whole.body):
        if (created := _created(statement)) is not None:
            made = created
        elif _trains(statement):
            made = None
        elif made is not None:
            between.append((made, statement))
    return between


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, and those of functions and `with` blocks in their place."""
    for statement in body:
        inner = isinstance(statement, ast.FunctionDef | ast.With)
        inner = inner or (
            isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test)
        )
        yield from _in_order(statement.body) if inner else [statement]  # type: ignore[attr-defined]


def _created(statement: ast.stmt) -> Made | None:
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(value, ast.Call):
        return None
    named = ast.unparse(value.func).endswith("Trainer")
    return Made(ast.unparse(statement.targets[0]), value) if named else None


def _trains(statement: ast.stmt) -> bool:
    called = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(getattr(node.func, "attr", "") == "train" for node in called)
