"""Records what the probes answer of healthy runs, for the rules' examples.

    .venv/bin/python history/record_answers.py

writes rules/_recorded/answers/*.json with the libraries of environments/current and, for vLLM,
environments/engine (`make environments`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from trl_doctor_rules._recorded.fit import LARGE
from trl_doctor_rules._recorded.runs import FOLDER, RUNS

from trl_doctor.asking.oracle import Conditions, RecordingOracle
from trl_doctor.asking.probes import Probes
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Pending
from trl_doctor.facts import Facts
from trl_doctor.facts.library.imports import libraries
from trl_doctor.facts.measured import forward, full, termination
from trl_doctor.facts.measured.config import config
from trl_doctor.facts.measured.engine import engine
from trl_doctor.facts.measured.engine_tokenizer import engine_tokenizer
from trl_doctor.facts.measured.fit import fit
from trl_doctor.facts.measured.load import load
from trl_doctor.facts.measured.rewards import answer as rewards
from trl_doctor.facts.measured.step import step
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.testing import laid_out

ROOT = Path(__file__).parents[1]
PLACE = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", ROOT / "environments"))
CANDIDATES = {**RUNS, "fit_qwen2_7b_grpo": LARGE}
ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


def at_full_size(facts: Facts) -> Any:
    """Steps at full size, here on the CPU, which no user can ask for."""
    return facts.probes.ask(full.full_question(facts))


ASKED: dict[str, tuple[str, tuple[Callable[[Facts], Any], ...]]] = {
    "grpo": (
        "current",
        (libraries, config, load, step, forward.answered, termination.answered, rewards,
         at_full_size),
    ),
    "sft": ("current", (load, step)),
    "vllm": ("engine", (engine, engine_tokenizer)),
    "fit_qwen2_7b_grpo": ("current", (fit,)),
}  # fmt: skip
"""The environment in which a run is asked about, and what is asked."""


def answers(run: str, python: Path) -> dict[str, Any]:
    """What each probe answers of one of the runs, by the probe's name."""
    _, questions = ASKED[run]
    with laid_out(CANDIDATES[run]) as folder, Probes(python, Conditions(), ON_CPU) as probes:
        oracle, world = RecordingOracle(probes), environment(python)
        opened = open_run(target(str(folder / "run.json")), world, Options(offline=True))
        facts = Facts(opened, world, oracle)
        waiting = list(questions)
        while waiting:
            waiting = [fact for fact in waiting if not _answered(fact, facts)]
            oracle.finish()
    values = {answer.question.probe: answer.measured() for answer in oracle.answers.values()}
    text = msgspec.json.encode(values).decode().replace(str(folder), "/run")
    recorded: dict[str, Any] = msgspec.json.decode(text)
    return recorded


def _answered(fact: Callable[[Facts], Any], facts: Facts) -> bool:
    with suppress(Pending):
        return bool(facts[fact])
    return False


def main() -> None:
    """Ask about every run, and write what is answered."""
    FOLDER.mkdir(exist_ok=True)
    for run in CANDIDATES:
        python = PLACE / ASKED[run][0] / "bin" / "python"
        text = msgspec.json.format(msgspec.json.encode(answers(run, python)), indent=1)
        (FOLDER / f"{run}.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
