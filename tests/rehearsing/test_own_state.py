"""What our own calls of the script's functions change is as it was afterwards."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.own_state import untouched


class Counting:
    """A callback of the script's own."""

    seen: list[int]

    def __init__(self) -> None:
        self.seen, self.count = [], 0


class Slotted:
    """An object of the script's own without a dictionary."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls = 0


class Trainer:
    """A trainer that the script has derived."""

    def __init__(self) -> None:
        self.seen = 0
        self.reward_funcs = [Slotted()]
        self.callback_handler = SimpleNamespace(callbacks=[Counting()])

    def step(self) -> None:
        self.seen += 1


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = ModuleType("script_of_user")
    module.__file__ = "/somewhere/script_of_user.py"
    module.calls, module.names, module.number = [1, 2], {"a": [1]}, 3
    module.words = Counter("ab")
    monkeypatch.setitem(sys.modules, "script_of_user", module)
    return module


def test_lists_and_numbers_of_the_script_are_as_before(script: Any) -> None:
    trainer: Any = Trainer()
    trainer.of_library = 0
    (callback,) = trainer.callback_handler.callbacks
    calls, names = script.calls, script.names
    with untouched(trainer):
        calls.append(3)
        names["a"].append(2)
        names["b"] = [3]
        script.number += 1
        script.words.update("abc")
        trainer.step()
        trainer.of_library += 1
        callback.seen.append(1)
        callback.count += 1
        trainer.reward_funcs[0].calls += 1
    assert script.calls is calls and calls == [1, 2]
    assert script.names is names and names == {"a": [1]}
    assert (script.number, script.words) == (3, Counter("ab"))
    assert (trainer.seen, trainer.of_library) == (0, 1)
    assert trainer.reward_funcs[0].calls == 0
    assert (callback.seen, callback.count) == ([], 0)


def test_what_a_function_has_around_it_is_as_before() -> None:
    count, kept = 0, list[int]()

    def reward() -> None:
        nonlocal count
        count += 1
        kept.append(count)

    trainer = SimpleNamespace(reward_funcs=[reward])
    with pytest.raises(ValueError), untouched(trainer):
        reward()
        raise ValueError
    assert (count, kept) == (0, [])
