"""An adapter that was merged, and a trainer that begins with its base."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import merged_away
from trl_doctor.probes.rehearsal.models.merged_away import MergedAway, Stage

BEGINS = ["GRPOTrainer", "train.py:22", ""]


class Model:
    """A model that was loaded by a name."""

    def __init__(self, name: str = "base") -> None:
        self.config = SimpleNamespace(_name_or_path=name)
        self.call: Callable[..., None] = lambda *given: None
        self.read: Callable[..., None] = lambda *given: None

    def register_forward_pre_hook(self, hook: Any) -> None:
        self.call = hook

    def register_state_dict_pre_hook(self, hook: Any) -> None:
        self.read = hook


class Tuner:
    def __init__(self, model: Model) -> None:
        self.model = model

    def merge_and_unload(self) -> Model:
        return self.model


class Adapted(Model):
    """A model with an adapter."""

    __module__ = "peft.peft_model"

    def __init__(self, base: Model) -> None:
        super().__init__()
        self.peft_config: dict[str, Any] = {}
        self.get_base_model = lambda: base


class Watched(MergedAway):
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[list[str]] = []
        super().__init__(SimpleNamespace(mistake=lambda one: self.told.append([*one.words])))  # type: ignore[arg-type]
        monkeypatch.setattr(merged_away, "here", lambda: ("/train.py", 59))
        monkeypatch.setattr(merged_away, "called_by_user", lambda through: ("/train.py", 22))
        monkeypatch.setattr(merged_away, "says", lambda pattern: False)
        monkeypatch.setattr(merged_away.atexit, "register", lambda tell: None)

    def merged(self, base: Model | None = None) -> Model:
        """The base into which the script has merged an adapter."""
        base = base or Model()
        self.loaded(base)
        self.loaded(Adapted(base))
        model: Model = self.merges(Tuner.merge_and_unload, Tuner(base))
        return model

    def ends(self, model: Model, kind: str = "GRPOTrainer", **args: Any) -> list[list[str]]:
        """What is told of a script whose trainer trains a model."""
        self.trains(SimpleNamespace(model=model, args=SimpleNamespace(**args)), kind)
        self._tell()
        return self.told


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def test_the_merged_model_is_dropped(watched: Watched) -> None:
    watched.merged()
    assert watched.ends(Model()) == [BEGINS]


def test_it_is_only_saved(watched: Watched, tmp_path: Path) -> None:
    watched.saved(watched.merged(), str(tmp_path / "merged"))
    assert watched.ends(Adapted(Model())) == [[*BEGINS[:2], ", which is in merged"]]


def test_it_is_trained(watched: Watched) -> None:
    model = watched.merged()
    assert watched.ends(model) == watched.ends(Adapted(model)) == []


def test_it_is_loaded_from_its_folder(watched: Watched, tmp_path: Path) -> None:
    folder = str(tmp_path / "merged")
    watched.saved(watched.merged(), folder)
    assert watched.ends(Model(folder)) == []
    watched.loaded(Model(folder))
    assert watched.ends(Model()) == []


def test_its_folder_is_an_argument(watched: Watched, tmp_path: Path) -> None:
    folder = str(tmp_path / "merged")
    watched.saved(watched.merged(), folder)
    assert watched.ends(Model(), teacher=folder, other="", steps=1) == []


def test_it_is_called_or_read(watched: Watched) -> None:
    for use in ("call", "read"):
        model = watched.merged()
        getattr(model, use)(model, ())
        assert watched.ends(Model()) == []
        watched._trained = False


def test_another_model_is_trained(watched: Watched) -> None:
    watched.merged()
    assert watched.ends(Model("another")) == []
    assert watched.ends(Model(""), "GRPOTrainer") == []
    assert watched.ends(Model(), "") == []
    assert watched.ends(SimpleNamespace(config=Model().config)) == []  # type: ignore[arg-type]


def test_the_adapter_is_on_what_is_trained(watched: Watched) -> None:
    watched.merged()
    policy = Model()
    watched.loaded(Adapted(policy))
    assert watched.ends(Adapted(policy)) == []


def test_it_is_merged_after_a_training(watched: Watched) -> None:
    assert watched.ends(Model()) == []
    watched.merged()
    assert watched.ends(Model()) == []


def test_an_adapter_that_is_not_merged(watched: Watched) -> None:
    watched.loaded(Adapted(Model()))
    assert watched.ends(Model()) == []


def test_a_script_that_may_take_the_weights_otherwise(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "policy.load_state_dict(load_file(path))"
    monkeypatch.setattr(merged_away, "says", lambda pattern: bool(pattern.search(text)))
    watched.merged()
    assert watched.ends(Model()) == []


def test_copies_are_as_good_as_the_model() -> None:
    stage = Stage(Model())
    assert copy.deepcopy(stage) is stage
    assert pickle.loads(pickle.dumps(stage)).model() is None
