"""A run is opened: its trainer, its folders by role, its number of processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import Closed, Unavailable
from trl_doctor.facts.rule import Files
from trl_doctor.facts.run import Run
from trl_doctor.files.document import Document, Unreadable
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.testing import laid_out

LLAMA = {"model_type": "llama"}
MODEL: Files = {"model/config.json": LLAMA, "reward/config.json": LLAMA}
WORLD = environment(None, ["trl==1.16.0"], installed=False)


@contextmanager
def opened(
    run: Any, files: Files = MODEL, given: str = "run.json", **options: Any
) -> Iterator[Run]:
    text = run if isinstance(run, str | bytes) else json.dumps(run)
    with laid_out({**files, "run.json": text}) as folder:
        pointed = target(str(folder / given), offline=True)
        yield open_run(pointed, WORLD, Options(offline=True, **options))


def trainer(run: Run) -> str:
    return str(run.trainer) if isinstance(run.trainer, Unavailable) else run.trainer.name


@pytest.mark.parametrize(
    ("run", "name", "source"),
    [
        ({"trainer": "grpo"}, "grpo", "trainer: grpo"),
        ({"trainer": "GRPOTrainer"}, "grpo", "trainer: GRPOTrainer"),
        ({"reward_funcs": ["x"], "num_generations": 8, "loss_type": "dapo"}, "grpo", "inferred"),
        ({"response_length": 8, "value_model_name_or_path": "x"}, "ppo", ""),
        ({"trainer": "gppo"}, "trainer: gppo is not a trainer that trl-doctor knows", ""),
        ({"trainer": "x" * 9999}, "trainer: xxxxx", ""),
        ({"trainer": ["grpo"]}, "the trainer is not known", ""),
        ({"trainer": None}, "the trainer is not known", ""),
        ({"learning_rate": 1}, "use `--trainer grpo`", ""),
        ({}, "the trainer is not known", ""),
    ],
)
def test_the_trainer(run: Any, name: str, source: str) -> None:
    with opened(run) as result:
        assert trainer(result).startswith(name) or name in trainer(result)
        assert len(trainer(result)) < 400
        assert source in result.trainer_from


def test_the_option_wins_over_the_file() -> None:
    with opened({"trainer": "grpo"}, trainer=TRAINERS["ppo"]) as run:
        assert (trainer(run), run.trainer_from) == ("ppo", "--trainer")
    with opened({}, given="model") as run:
        assert "use --trainer" in trainer(run)
    with opened({}, given="model", trainer=TRAINERS["sft"], processes=3) as run:
        assert (trainer(run), run.processes) == ("sft", 3)


@pytest.mark.parametrize(
    ("run", "processes", "source"),
    [
        ({"num_processes": 4}, 4, "num_processes in the run file"),
        ({"nproc_per_node": 2}, 2, "nproc_per_node in the run file"),
        ({"accelerate_config": "acc.yaml"}, 8, "num_processes in acc.yaml"),
        ({"num_processes": 0}, None, ""),
        ({"num_processes": -1}, None, ""),
        ({"num_processes": True}, None, ""),
        ({"num_processes": "4"}, None, ""),
        ({"num_processes": 2.0}, None, ""),
        ({"accelerate_config": "gone.yaml"}, None, ""),
        ({"accelerate_config": "model"}, None, ""),
        ({"accelerate_config": "bad.yaml"}, None, ""),
        ({"accelerate_config": "true.json"}, None, ""),
        ({"accelerate_config": "a\0b"}, None, ""),
        ({"accelerate_config": "x" * 5000}, None, ""),
        ({"accelerate_config": ["acc.yaml"]}, None, ""),
        ({}, None, ""),
    ],
)
def test_the_number_of_processes(run: Any, processes: int | None, source: str) -> None:
    files = {**MODEL, "acc.yaml": "num_processes: 8\n", "bad.yaml": "a: [", "true.json":
             {"num_processes": True}}  # fmt: skip
    with opened({"trainer": "grpo", **run}, files) as result:
        assert (result.processes, result.processes_from) == (processes, source)
    with opened({"trainer": "grpo", **run}, files, processes=3) as result:
        assert (result.processes, result.processes_from) == (3, "--processes")


def test_the_models_by_role() -> None:
    names = {"model_name_or_path": "model", "reward_model_path": "reward"}
    with opened({**names, "value_model_name_or_path": None}) as run:
        base = run.target.path.parent
        assert run.policy == Folder(base / "model", "model")
        assert run.folder_of("reference") is run.policy
        assert run.folder_of("tokenizer") is run.policy
        assert run.folder_of("reward") == Folder(base / "reward", "reward")
        assert str(run.folder_of("value")) == "value_model_name_or_path is null"
        assert run.models["reward"].place == run.place("reward_model_path")
    with opened({**names, "trainer": "ppo", "sft_model_path": "reward"}) as run:
        base = run.target.path.parent
        assert run.policy == run.folder_of("reference") == Folder(base / "reward", "reward")
        assert run.folder_of("tokenizer") == Folder(base / "model", "model")
    with opened({"trainer": "ppo"}) as run:
        assert "the run names no policy model (sft_model_path or" in str(run.policy)


def test_one_folder_is_one_object() -> None:
    with opened({"model_name_or_path": "model", "reward_model_path": "model"}) as run:
        assert run.policy is run.folder_of("reward")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gone", "gone is not in the local cache and --offline was given"),
        ("models/Qwen", "there is no folder models/Qwen, and the Hub was not asked"),
        ("./gone", "there is no folder ./gone"),
        ("run.json", "there is no folder run.json"),
        ("org/name-nobody-has", "not in the local cache"),
        ("x/" * 4000, "cannot be reached: File name too long"),
        ("~nobody-of-that-name/x", "cannot be reached"),
        ("a\0b", "there is no folder a\0b"),
        ("\ud800", "there is no folder \ud800"),
        ("../../../../../../../etc/shadow", "there is no folder"),
        ("  ", "'  ', which is no name of a model"),
        (["model"], "['model'], which is no name of a model"),
        (7, "7, which is no name of a model"),
    ],
)
def test_a_model_that_is_not_there_is_a_reason(name: Any, says: str) -> None:
    with opened({"model_name_or_path": name, "trainer": "grpo"}) as run:
        assert isinstance(run.policy, Unavailable)
        assert says in str(run.policy)
        assert len(str(run.policy)) < 600


def test_a_relative_name_counts_from_the_working_folder_and_else_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened({"model_name_or_path": "model"}) as run:
        assert run.policy == Folder(run.target.path.parent / "model", "")
        (tmp_path / "model").mkdir()
        monkeypatch.chdir(tmp_path)
        pointed = target(str(run.target.path))
        again = open_run(pointed, WORLD, Options(offline=True))
        assert again.policy == Folder(tmp_path / "model", "")


def test_a_name_with_dots_is_made_plain() -> None:
    with laid_out({**MODEL, "runs/run.json": {"model_name_or_path": "../model"}}) as folder:
        run = open_run(target(str(folder / "runs/run.json")), WORLD, Options())
        assert run.policy == Folder(folder / "model", "../model")


@pytest.mark.parametrize("text", ["{", "", "[1]", "null", b"\xff"])
def test_a_run_file_that_cannot_be_read_is_part_of_the_answer(text: str | bytes) -> None:
    with opened(text) as run:
        assert isinstance(run.file, Unreadable)
        assert run.policy is run.file
        assert run.trainer is run.file
        assert run.arguments == {}


def test_moved_files_are_read_from_where_they_are_now(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "run.json").write_text('{"trainer": "ppo", "model_name_or_path": "model"}')
    with laid_out({**MODEL, "run.json": {"trainer": "grpo"}}) as folder:
        moved = {
            folder / "run.json": tmp_path / "run.json",
            folder / "model": tmp_path / "model",
        }
        pointed = target(str(folder / "run.json"))
        run = open_run(pointed, WORLD, Options(moved=moved))
        assert trainer(run) == "ppo"
        assert isinstance(run.file, Document)
        assert run.policy == Folder(tmp_path / "model", "")
        pointed = target(str(folder / "model"))
        assert open_run(pointed, WORLD, Options(moved=moved)).policy == Folder(
            tmp_path / "model", ""
        )


@pytest.mark.parametrize(
    ("value", "number", "flag"),
    [
        (8, 8.0, True), ("5e-6", 5e-6, False), (True, -1.0, True), ("yes", -1.0, True),
        (None, -1.0, False), ([1], -1.0, True), (10**400, -1.0, True), ("1" * 400, -1.0, False),
        (float("nan"), -1.0, True), ("-inf", -1.0, False), (" on ", -1.0, True),
        ("false", -1.0, False), (0, 0.0, False),
    ],
)  # fmt: skip
def test_arguments_as_numbers_and_flags(value: Any, number: float, flag: bool) -> None:
    with opened({"trainer": "grpo", "x": value}) as run:
        assert run.number("x", -1.0) == number
        assert run.flag("x") is flag
        assert run.number("y", 3.0) == 3.0
        assert run.flag("y", True) is True


def test_what_lies_beside_the_run_file_is_found_also_where_a_plan_shows_it_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "planned").mkdir()
    for folder in ("here", "planned"):
        (tmp_path / folder / "run.json").write_text('{"trainer": "sft"}')
    pointed = target(str(tmp_path / "here/run.json"), offline=True)
    planned = {pointed.path: tmp_path / "planned/run.json"}
    run = open_run(pointed, WORLD, Options(offline=True, moved=planned))
    assert run.target.path == tmp_path / "planned/run.json"
    assert run.roots == (Path.cwd(), tmp_path / "here")


ADAPTER: Files = {"ours/adapter_config.json": {"base_model_name_or_path": "model"}}


@pytest.mark.parametrize("tokenizer", [True, False])
def test_an_adapter_is_followed_to_its_base_model(tokenizer: bool) -> None:
    own: Files = {"ours/tokenizer.json": {}} if tokenizer else {}
    with opened(
        {"trainer": "sft", "model_name_or_path": "ours"}, {**MODEL, **ADAPTER, **own}
    ) as run:
        policy = run.models["policy"]
        assert isinstance(policy.folder, Folder) and policy.folder.path.name == "model"
        assert policy.adapter and policy.adapter.path.name == "ours"
        folder = run.folder_of("tokenizer")
        assert isinstance(folder, Folder)
        assert folder.path.name == ("ours" if tokenizer else "model")


@pytest.mark.parametrize("base", ["gone", "a/gone", None])
def test_an_adapter_whose_base_is_not_here_has_a_reason(base: str | None) -> None:
    files: Files = {"ours/adapter_config.json": {"base_model_name_or_path": base}}
    with opened({}, files, given="ours") as run:
        assert isinstance(run.policy, Unavailable)
        assert "ours is an adapter, and its base model" in str(run.policy)
        assert run.models["policy"].adapter is not None


def test_a_merged_folder_with_an_old_adapter_config_is_a_model() -> None:
    merged: Files = {**ADAPTER, "ours/config.json": LLAMA}
    with opened({"model_name_or_path": "ours"}, merged) as run:
        assert run.models["policy"].adapter is None
        assert isinstance(run.policy, Folder) and run.policy.path.name == "ours"


def test_a_folder_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run as root, who may read every folder."""
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("model"))
    with opened({"trainer": "sft", "model_name_or_path": "./model"}, MODEL) as run:
        folder = run.models["policy"].folder
        assert isinstance(folder, Closed)
        assert "the folder ./model may not be read: permission denied; `chmod" in str(folder)
