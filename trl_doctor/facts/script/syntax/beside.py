"""The statements before a trainer that can run, too: all but those of models, and what uses these.

What rows need is sometimes not to be seen in the names that they use: a helper that changes what it
is given, a setting that another module reads, a `continue`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from trl_doctor.facts.script.syntax.free_names import bound_in, free, root
from trl_doctor.facts.script.syntax.job_calls import call_of_job

OF_TRAINER = re.compile(r"(Config|TrainingArguments|Accelerator)$")
"""Classes whose objects belong to the training: some want a GPU."""

ROUNDS = 4
"""Times that functions are looked at again, because others turned out to use a model."""

DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Beside:
    """Collects the statements that can `run`, and the blocks that are `opened` for them."""

    def __init__(self, tree: ast.Module) -> None:
        self.run = set[ast.stmt]()
        self.opened = set[ast.stmt]()
        self._tainted = set[str]()
        self._heavy = set[str]()
        self._functions = [node for node in ast.walk(tree)
                           if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]  # fmt: skip

    def add(self, scopes: Iterable[Sequence[ast.stmt]], without: set[ast.stmt]) -> None:
        """Look at the statements of each scope, outermost first; `without` are functions in use."""
        bodies = [[part for part in scope if part not in without] for scope in scopes]
        for _ in range(ROUNDS):
            before = len(self._heavy), len(self._tainted)
            self._heavy |= {f.name for f in self._functions if self._is_heavy(f)}
            self.run.clear()
            self.opened.clear()
            for body in bodies:
                self._block(body)
            if before == (len(self._heavy), len(self._tainted)):
                return

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, DEFINES):
                self.run.add(statement)
            elif isinstance(statement, ast.If) and not self._is_heavy(statement.test):
                self.opened.add(statement)
                self._block(statement.body)
                self._block(statement.orelse)
            elif self._is_heavy(statement):
                self._tainted |= set(bound_in(statement))
            else:
                self.run.add(statement)

    def _is_heavy(self, part: ast.AST) -> bool:
        """Whether it loads a model, belongs to the training, or uses what was left out."""
        if call_of_job(part) or free(part) & self._tainted:
            return True
        return any(self._calls_heavy(node) for node in ast.walk(part) if isinstance(node, ast.Call))

    def _calls_heavy(self, call: ast.Call) -> bool:
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        return last in self._heavy or bool(OF_TRAINER.search(last)) or root(call.func) == "torch"
