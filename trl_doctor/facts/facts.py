"""The facts about a target: each computed once, on its first use."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from trl_doctor.core.unavailable import Unavailable

if TYPE_CHECKING:
    from trl_doctor.asking.oracle import Oracle
    from trl_doctor.facts.run import Run
    from trl_doctor.files.folder import Folder
    from trl_doctor.machine.environment import Environment

T = TypeVar("T")


class Facts:
    """The facts of one run, for one of its model folders (at first the policy's).

    A fact is a function of `Facts`. `facts[fact]` calls it at most once per folder and returns
    its value; a fact that raised `Unavailable` raises it again each time. A fact that asks a probe
    raises `Pending` until the probe has answered.
    """

    def __init__(self, run: Run, environment: Environment, probes: Oracle) -> None:
        self.run = run
        self.environment = environment
        self.probes = probes
        self._folder = run.policy
        self._known: dict[tuple[Callable[..., Any], object], Any] = {}

    def asking(self, probes: Oracle) -> Facts:
        """The same facts, with another oracle for the questions."""
        view = copy(self)
        view.probes = probes
        return view

    @property
    def folder(self) -> Folder:
        """The model folder of these facts; raises `Unavailable` if there is none."""
        if isinstance(self._folder, Unavailable):
            raise self._folder
        return self._folder

    def at(self, folder: Folder | Unavailable) -> Facts:
        """The same run's facts, for another of its folders (for example the reward model's)."""
        view = copy(self)  # what is known is known to both
        view._folder = folder
        return view

    def __getitem__(self, fact: Callable[[Facts], T]) -> T:
        scope = None if isinstance(self._folder, Unavailable) else self._folder
        key = (fact, scope)
        if key not in self._known:
            try:
                self._known[key] = fact(self)
            except Unavailable as reason:
                self._known[key] = reason
        value = self._known[key]
        if isinstance(value, Unavailable):
            raise value
        return value  # type: ignore[no-any-return]

    def get(self, fact: Callable[[Facts], T]) -> T | None:
        """The fact's value, or None if it cannot be known."""
        try:
            return self[fact]
        except Unavailable:
            return None
