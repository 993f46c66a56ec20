"""Sees what reward functions return where the trainer calls them."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .... import network
from ....layout.argument_tables import SEEN
from ....reward_functions.cut_numbers import Cut, cut_answers, cut_texts
from ....reward_functions.hidden_errors import Hidden, hidden_errors
from ....reward_functions.source import name_of, where
from ...record import Mistake, Record, world
from ...where import frames, here, is_own
from .call import Called, Clock
from .reward_objects import in_place_of, is_async, is_function
from .spread_rewards import spread, values_of

ROWS = 64
"""Rows whose right answers are looked at."""


class Rewards:
    """Reward functions of the script; each is reported after its first call."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.called: dict[int, Called] = {}
        self.trainer: Any = None
        """The trainer that is being built: functions that are watched now are its own."""
        self.groups_seen: set[int] = set()
        self.hidden: set[Hidden] = set()
        self.reads_numbers: set[tuple[int, str]] = set()
        """Functions whose reading of numbers was looked at, or reported."""
        self.busy = False

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """While this lasts, calls are ours: they have fewer completions than those of the run."""
        self.busy = True
        try:
            yield
        finally:
            self.busy = False

    def watched(self, given: Any) -> Any:
        """The same functions, watched; models and names as they are."""
        if isinstance(given, list):
            return [self._wrapped(function, number) for number, function in enumerate(given)]
        return self._wrapped(given, 0)

    def _wrapped(self, function: Any, number: int) -> Any:
        if not is_function(function):
            return function
        about, trainer = _about(function, number), self.trainer

        @contextlib.contextmanager
        def watched(args: Any, more: dict[str, Any]) -> Iterator[list[Any]]:
            """Report a call: what it returned is put into the list."""
            if self.busy:
                yield []
                return
            self._look_at_groups(trainer, more.get("prompts"))
            clock, returned, tried = Clock(), list[Any](), network.tried()
            said = more.get("completions") or (args[1] if len(args) > 1 else ())
            self._look_at_answers(function, about, trainer)
            try:
                with hidden_errors(more, is_own) as hidden, cut_texts(said) as cuts:
                    yield returned
            except Exception as error:
                self.record.add("reward", **about, state="raised", expected=len(said),
                                type=type(error).__name__, message=str(error),
                                frames=frames(error), **_misfit(function, more))  # fmt: skip
                raise
            seconds, cost = clock.read(len(said))
            if not args and tried == network.tried():  # else what it asks is not here
                self.called[number] = Called(function, about, dict(more), cost)
            self.record.add("reward", **about, state="returned", expected=len(said),
                            seconds=seconds, **_measured(returned[0]))  # fmt: skip
            self._look_at_errors(about["name"], hidden, returned[0], trainer)
            self.reads(about, next(iter(cuts), None))

        def called(*args: Any, **more: Any) -> Any:
            with watched(args, more) as seen:
                seen.append(function(*args, **more))
            return self._handed_on(seen[0], trainer, about)

        async def awaited(*args: Any, **more: Any) -> Any:
            with watched(args, more) as seen:
                seen.append(await function(*args, **more))
            return self._handed_on(seen[0], trainer, about)

        return in_place_of(function, awaited if is_async(function) else called)

    def _handed_on(self, returned: Any, trainer: Any, about: dict[str, Any]) -> Any:
        """What the trainer gets: in a training step equal rewards differ, or nothing is learnt."""
        rising = None if self.busy or not _trains(trainer) else spread(returned)
        if rising is None:
            return returned
        self.record.add("changed", name=f"equal rewards of {about['name']}", given=rising[0],
                        used=f"{rising[0]:g} to {rising[-1]:g}", why=SEEN, at=None)  # fmt: skip
        return rising

    def _look_at_errors(self, name: str, hidden: list[Hidden], returned: Any, trainer: Any) -> None:
        """Report a mistake that the function has caught itself where it gives equal rewards."""
        reward, part = _alike(returned), "training" if _trains(trainer) else "evaluation"
        for error in [one for one in hidden if reward in one.gives][:1]:
            if error not in self.hidden:
                self.hidden.add(error)
                words = [name, error.error, reward, part]
                self.record.mistake(Mistake("error hidden", words, error.at))

    def _look_at_answers(self, function: Any, about: dict[str, Any], trainer: Any) -> None:
        """Report a pattern that reads a part of a right answer of the rows."""
        key = about["index"], "answers"
        if key not in self.reads_numbers:
            self.reads_numbers.add(key)
            with contextlib.suppress(Exception):  # rows of another kind
                rows = itertools.islice(iter(trainer.train_dataset), ROWS)
                self.reads(about, cut_answers(function, [dict(row) for row in rows]))

    def reads(self, about: Mapping[str, Any], cut: Cut | None) -> None:
        """Report a part of a number that is read, once for each function."""
        key = about["index"], "reported"
        if cut is not None and key not in self.reads_numbers:
            self.reads_numbers.add(key)
            at = [about["file"], about["line"]] if about["line"] else None
            self.record.mistake(Mistake("number cut", [about["name"], *cut], at))

    def _look_at_groups(self, trainer: Any, prompts: Any) -> None:
        """Report prompts that are in no group: the trainer compares completions of one prompt.

        Online DPO, which has no such argument, pairs each prompt with one in the other half.
        """
        size = getattr(getattr(trainer, "args", None), "num_generations", None)
        if (
            id(trainer) in self.groups_seen
            or not _trains(trainer)
            or not isinstance(prompts, list)
            or world() > 1
        ):
            return
        if not isinstance(size, int) or size < 2 or len(prompts) % size:
            return
        self.groups_seen.add(id(trainer))
        groups = [prompts[at : at + size] for at in range(0, len(prompts), size)]
        if all(any(prompt != group[0] for prompt in group) for group in groups):
            self.record.mistake(Mistake("groups mix prompts", [str(size)], here()))


def _about(function: Any, number: int) -> dict[str, Any]:
    """The name of a function, its place among the trainer's, and where it is written."""
    file, line = where(function)
    return {"name": name_of(function), "index": number, "file": file or None, "line": line or None}


def _trains(trainer: Any) -> bool:
    """Whether it is in a training step, and not in an evaluation."""
    return bool(getattr(getattr(trainer, "model", None), "training", False))


def _alike(returned: Any) -> str:
    """The only reward that all completions of a call get, in words; "" if there are several."""
    values = values_of(returned)
    if not isinstance(values, (list, tuple)) or len(values) < 2:
        return ""
    texts = {"None" if value is None else f"{float(value):g}" for value in values}
    return texts.pop() if len(texts) == 1 else ""


def _misfit(function: Any, given: dict[str, Any]) -> dict[str, list[str]]:
    """What the function does not take of what it was given by name, and what it lacks."""
    from ....reward_functions.calls import misfit

    return misfit(function, given)


def _measured(returned: Any) -> dict[str, Any]:
    """How many rewards there are, and which are numbers."""
    values = values_of(returned)
    if not isinstance(values, (list, tuple)):
        return {"returned": 0 if returned is None else None, "none": 0, "values": []}
    numbers = [value for value in values if isinstance(value, (int, float))]
    finite = [float(number) for number in numbers if math.isfinite(number)]
    return {
        "returned": len(values),
        "none": sum(value is None for value in values),
        "odd": [str(number) for number in numbers if not math.isfinite(number)],
        "values": finite,
    }
