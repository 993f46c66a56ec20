"""Steps at full size, on the CPU: the parts that they hold are those that can be counted."""

from __future__ import annotations

import json
import math
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from commands import kept_hosts, ran
from laid import ROOT, Interpreter

from trl_doctor.asking.oracle import Conditions, NoOracle
from trl_doctor.asking.probes import Probes
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Pending
from trl_doctor.facts import Facts, totals
from trl_doctor.facts.measured.full import full_question
from trl_doctor.facts.training.generations import steps_a_generation
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.full import FullAnswer
from trl_doctor.testing import laid_out

ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["sft", "grpo", "dpo"])
def test_weights_gradients_and_moments_are_counted(trainer: str, interpreter: Interpreter) -> None:
    answer = steps(interpreter("current"), ROOT / "fixtures" / f"{trainer}.yaml")
    parts = answer.measured().parts
    assert parts["weights"] > 100_000
    assert parts["gradients"] == pytest.approx(parts["weights"], rel=0.01)
    assert parts["optimizer"] == pytest.approx(2 * parts["weights"], rel=0.01)
    assert len(answer.measured().seconds_by_step) == 3
    assert answer.memory > sum(parts.values())


@pytest.mark.slow
def test_the_runs_own_sizes_are_kept(tmp_path: Path, interpreter: Interpreter) -> None:
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


COUNTING = """
import json, sys, tempfile
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

model, rows, arguments = json.loads(sys.argv[1])
trainer = GRPOTrainer(
    model,
    reward_funcs=lambda completions, **_: [float(len(one)) for one in completions],
    args=GRPOConfig(output_dir=tempfile.mkdtemp(), use_cpu=True, report_to=[], save_strategy="no",
                    disable_tqdm=True, max_completion_length=2, num_train_epochs=1, **arguments),
    train_dataset=Dataset.from_list([{"prompt": "a"}] * rows),
)
generate, times = trainer._generate_and_score_completions, []
trainer._generate_and_score_completions = lambda *given: times.append(1) or generate(*given)
trainer.train()
print("SAID", trainer.state.global_step, len(times))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "arguments"),
    [
        (8, {"num_generations": 4, "steps_per_generation": 4, "num_iterations": 2}),
        (10, {"num_generations": 2}),
    ],
)
def test_steps_and_generations_of_a_job_are_foretold(
    tmp_path: Path, interpreter: Interpreter, rows: int, arguments: dict[str, int]
) -> None:
    python, model = interpreter("current"), str(ROOT / "fixtures/models/healthy")
    sizes = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, **arguments}
    process = ran(python, "-c", COUNTING, json.dumps([model, rows, sizes]), cwd=tmp_path)
    counts = [line.split()[1:] for line in process.stdout.splitlines() if line.startswith("SAID")]
    assert counts, process.stderr[-2000:]

    lines = '{"prompt": "a"}\n' * rows
    run = {"trainer": "grpo", "model_name_or_path": model, "dataset_name": "rows.jsonl",
           "num_processes": 1, "num_train_epochs": 1, **sizes}  # fmt: skip
    with laid_out({"rows.jsonl": lines, "run.json": run}) as folder:
        opened = open_run(target(str(folder / "run.json")), environment(python), Options())
        facts = Facts(opened, environment(python), NoOracle(""))
        number = totals.steps(facts, totals.rows_a_step(facts))
        generations = math.ceil(Fraction(number or 0) / steps_a_generation(facts))
    assert [[str(number), str(generations)]] == counts


def steps(python: Path, run: Path) -> Answer[FullAnswer]:
    """What the probe answers of a run file if it runs on the CPU, which no user can choose."""
    world = environment(python)
    with kept_hosts(), Probes(python, Conditions("full", "cpu"), ON_CPU) as probes:
        facts = Facts(open_run(target(str(run)), world, Options(offline=True)), world, probes)
        while True:
            try:
                return probes.ask(full_question(facts))
            except Pending:
                probes.finish()
