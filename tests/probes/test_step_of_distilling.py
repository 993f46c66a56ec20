"""How a step of a trainer that distils is laid out: its teacher, its rows, its sizes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from test_step_facts import plan

from trl_doctor.probes.layout import distilling
from trl_doctor.probes.layout.arguments import arguments
from trl_doctor.probes.layout.needed_columns import COLUMNS, WITH_ENGINE
from trl_doctor.probes.layout.rows import generated_rows
from trl_doctor.probes.layout.script import script
from trl_doctor.probes.refusal import Refused
from trl_doctor.probes.start import run_file


@dataclasses.dataclass
class Config:
    """The sizes of a config."""

    lmbda: float = 0.5
    num_generations: int = 1
    per_device_train_batch_size: int = 8
    max_completion_length: int = 128
    teacher_tokenizer_name_or_path: str | None = None
    use_vllm: bool = False


@pytest.mark.parametrize(
    ("run", "used"),
    [
        ({}, {"lmbda": 1.0, "num_generations": 2, "per_device_train_batch_size": 2}),
        ({"num_generations": 1}, {"num_generations": 1, "per_device_train_batch_size": 1}),
        ({"lmbda": 0.0}, {"lmbda": 0.0}),
        ({"teacher_tokenizer_name_or_path": "x/y"}, {"teacher_tokenizer_name_or_path": None}),
    ],
)
def test_a_batch_is_whole_prompts_that_generate(run: dict[str, Any], used: dict[str, Any]) -> None:
    values = arguments(Config, run, "gold", "cpu", engine=True).used
    assert {name: values[name] for name in used} == used
    assert values["use_vllm"] is True


def test_the_teacher_is_the_small_student() -> None:
    given = plan("gold", parameters=frozenset(("model", "teacher_model")))
    assert 'teacher_model=str(HERE / "model"),' in script(given)
    with pytest.raises(Refused, match="a vLLM server is its teacher"):
        distilling.refuse_servers({"use_teacher_server": "true"})


@pytest.mark.parametrize("trainer", sorted(WITH_ENGINE))
def test_made_rows_have_the_columns_of_their_trainer(trainer: str) -> None:
    for conversational in (True, False):
        for row in generated_rows(trainer, conversational):
            assert any(set(group) <= set(row) for group in COLUMNS[trainer])


def test_a_command_starts_without_its_teacher_here(tmp_path: Path) -> None:
    named = {"teacher_model_name_or_path": "x/y"}
    request = {"arguments": named, "device": "cuda", "roots": [], "trust_remote_code": False}
    run, changed = run_file(request, frozenset(("policy",)), tmp_path)
    assert run["teacher_model_name_or_path"] == str(tmp_path / "model")
    assert changed["teacher_model_name_or_path"] == distilling.TEACHER
