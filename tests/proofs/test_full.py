"""Steps at full size, on the CPU: the parts that they hold are those that can be counted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import kept_hosts

from trl_doctor.asking.oracle import Conditions
from trl_doctor.asking.probes import Probes
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Pending
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.full import asked
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.full import FullAnswer

ROOT = Path(__file__).parents[2]
ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["sft", "grpo", "dpo"])
def test_weights_gradients_and_moments_are_counted(
    trainer: str, interpreter: Callable[[str], Path]
) -> None:
    answer = steps(interpreter("current"), ROOT / "fixtures" / f"{trainer}.yaml")
    parts = answer.measured().parts
    assert parts["weights"] > 100_000
    assert parts["gradients"] == pytest.approx(parts["weights"], rel=0.01)
    assert parts["optimizer"] == pytest.approx(2 * parts["weights"], rel=0.01)
    assert len(answer.measured().seconds_by_step) == 3
    assert answer.memory > sum(parts.values())


@pytest.mark.slow
def test_the_runs_own_sizes_are_kept(tmp_path: Path, interpreter: Callable[[str], Path]) -> None:
    for name in ("models", "data"):
        shutil.copytree(ROOT / "fixtures" / name, tmp_path / name)
    run = tmp_path / "grpo.yaml"
    run.write_text((ROOT / "fixtures/grpo.yaml").read_text() + "num_train_epochs: 1\n")
    answer = steps(interpreter("current"), run)
    rows = len((tmp_path / "data/prompts/train.jsonl").read_text().splitlines())
    assert answer.measured().epochs == 1.0
    assert answer.measured().rows_from == f"train.jsonl, the longest of {rows:,} rows"
    assert answer.measured().batch == 8
    assert answer.measured().generations == 8
    changed = answer.measured().changed
    assert "max_completion_length" not in changed
    assert "num_generations" not in changed
    assert "num_train_epochs" not in changed


def steps(python: Path, run: Path) -> Answer[FullAnswer]:
    """What the probe answers of a run file when it is asked on the CPU, which no user can."""
    world = environment(python)
    with kept_hosts(), Probes(python, Conditions("full", "cpu"), ON_CPU) as probes:
        facts = Facts(open_run(target(str(run)), world, Options(offline=True)), world, probes)
        while True:
            try:
                return probes.ask(asked(facts))
            except Pending:
                probes.finish()
