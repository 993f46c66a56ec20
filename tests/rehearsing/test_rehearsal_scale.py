"""How a rehearsal makes a script small without changing what is wrong with it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal import patching
from trl_doctor.probes.rehearsal.models.small import MADE
from trl_doctor.probes.rehearsal.record import JOB
from trl_doctor.probes.rehearsal.rows.made_up.learnt import Learnt, learning, learnt
from trl_doctor.probes.rehearsal.settings import cutting
from trl_doctor.probes.rehearsal.trainers import configs


@pytest.fixture(autouse=True)
def rehearsing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patching, "_running", True)


@pytest.mark.parametrize("job", [2, 8])
def test_arguments_are_examined_with_the_processes_of_the_job(
    job: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Base:
        @property
        def world_size(self) -> int:
            return 2

    @dataclasses.dataclass
    class GRPOConfig(Base):
        output_dir: str = "out"
        learning_rate: float = 1e-5
        num_generations: int = 8
        generation_batch_size: int | None = None
        per_device_train_batch_size: int = 8
        per_device_eval_batch_size: int = 8

        def __post_init__(self) -> None:
            for size in (self.per_device_train_batch_size, self.per_device_eval_batch_size):
                if size * self.world_size % self.num_generations:
                    raise ValueError("must be divisible by num_generations")

    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv(JOB, str(job))
    record: Any = SimpleNamespace(add=lambda *args, **about: None)
    order: Any = SimpleNamespace(scratch=Path("scratch"), steps=2, wide=False)
    configs.Configs(order, record).act(SimpleNamespace(GRPOConfig=GRPOConfig))  # type: ignore[arg-type]

    def make() -> GRPOConfig:
        return GRPOConfig(per_device_train_batch_size=1)

    if job == 2:
        with pytest.raises(ValueError, match="divisible"):
            make()
        return
    config = make()
    assert (config.num_generations, config.per_device_eval_batch_size, config.world_size) == (
        4,
        4,
        2,
    )


def test_a_batch_of_older_rloo_has_whole_groups() -> None:
    types = dict.fromkeys(("rloo_k", "per_device_train_batch_size", "total_episodes"), "int")
    cuts = cutting.small({"rloo_k": 4, "per_device_train_batch_size": 8}, types, "RLOOConfig", 2, 1)
    assert cuts["per_device_train_batch_size"][0] % cuts["rloo_k"][0] == 0


def test_a_group_fits_into_the_small_batch_of_older_releases() -> None:
    types = dict.fromkeys(("num_generations", "per_device_train_batch_size"))
    cuts = cutting.small({}, types, "GRPOConfig", 2, 1)
    assert cuts["per_device_train_batch_size"][0] % cuts["num_generations"][0] == 0


def test_what_a_script_sets_later_is_cut_too(tmp_path: Path) -> None:
    @dataclasses.dataclass
    class Arguments:
        max_length: int | None = 512
        max_seq_length: int | None = None
        use_vllm: bool = False

    entries = []
    record: Any = SimpleNamespace(add=lambda kind, **about: entries.append(about["name"]))
    order: Any = SimpleNamespace(models=tmp_path, steps=2, wide=False)
    config = Arguments()
    configs.again(config, order, record, None)
    assert config == Arguments() and not entries
    config.use_vllm = True
    (tmp_path / f"{MADE}0123").mkdir()  # a model whose tokens are bytes
    configs.again(config, order, record, None)
    assert config == Arguments(max_length=2048)
    assert entries == ["use_vllm", "max_length"]


@pytest.mark.parametrize(
    ("message", "lacks"),
    [
        ("KeyError: 'solution'", "solution"),
        ("ValueError: Dataset must contain either `context` or `golden` alongside `prompt`.",
         "context"),
        ("ValueError: Missing required columns: {'prompt', 'answer'}", "answer"),
        ("ValueError: the dataset must contain 'prompt'", ""),
        ("KeyError: 'known'", ""),
    ],
)  # fmt: skip
def test_a_column_that_a_script_uses_is_added(message: str, lacks: str) -> None:
    before = Learnt(("known",))
    expected = Learnt(("known", lacks)) if lacks else before
    assert learning(failed_with(message), before) == expected


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("AttributeError: 'list' object has no attribute 'rfind'", "text"),
        ("ValueError: text input must be of type `str` (single example)", "text"),
        ("TypeError: expected string or bytes-like object, got 'list'", "text"),
        ("TypeError: string indices must be integers, not 'str'", "talk"),
        ("UndefinedError: 'str object' has no attribute 'role'", "talk"),
        ("ValueError: the batch is too small", ""),
    ],
)
def test_the_form_that_a_script_takes_is_learnt_once(message: str, form: str) -> None:
    assert learning(failed_with(message), Learnt()) == Learnt(form=form)
    assert learning(failed_with(message), Learnt(form="talk")) == Learnt(form="talk")


def test_nothing_is_learnt_where_the_rows_are_real(tmp_path: Path) -> None:
    events = [{**event, "origin": "folder"} for event in failed_with("KeyError: 'solution'")]
    assert learning(events, Learnt()) == Learnt()
    Learnt(("a",), "text").write(tmp_path)
    assert learnt(tmp_path) == Learnt(("a",), "text")


def failed_with(message: str) -> list[dict[str, Any]]:
    """What an attempt with made rows reports that ends with this error."""
    kind, _, text = message.partition(": ")
    return [
        {"kind": "data", "origin": "made", "columns": ["prompt"]},
        {"kind": "failed", "type": kind, "message": text},
    ]
