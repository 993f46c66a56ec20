"""Sections of a file that hold arguments of the trainer, and never reach its config."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.settings import config_files, unpassed_sections
from trl_doctor.probes.rehearsal.settings.config_files import Section


@dataclass
class GRPOConfig:
    output_dir: str = "out"
    learning_rate: float = 1e-6
    max_steps: int = -1
    beta: float = 0.0
    num_generations: int = 8
    temperature: float = 1.0
    max_completion_length: int = 256
    warmup_steps: int = 0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0


GIVEN: dict[str, Any] = {"output_dir": "runs", "learning_rate": 2e-6, "max_steps": 40}
OWN: dict[str, Any] = {"beta": 0.04, "num_generations": 4, "temperature": 0.8}
OPTIM = {"warmup_steps": 10, "weight_decay": 0.1, "max_grad_norm": 0.2}
FILE: dict[str, Any] = {"model": {"path": "m"}, "training": GIVEN, "grpo": OWN}
SCRIPT = """
with open("grpo.yaml") as file:
    conf = load(file)
args = GRPOConfig(**conf["training"])
"""
SHOWS = f'{SCRIPT}print("KL:", conf["grpo"]["beta"], str(conf.get("grpo")))\n'
SAID = "beta (0.04, not 0.0), num_generations (4, not 8), temperature (0.8, not 1.0)"
CHANGED = "warmup_steps (10, not 0), weight_decay (0.1, not 0.0), max_grad_norm (0.2, not 1.0)"


def unread(
    script: str, file: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[list[str]]:
    path = folder / "train.py"
    path.write_text(script)
    for module in (config_files, unpassed_sections):
        monkeypatch.setattr(module, "own_files", lambda: [str(path)])
    loaded = [Section("grpo.yaml", str(folder / "grpo.yaml"), file)]
    monkeypatch.setattr(config_files, "loaded", loaded)
    found = unpassed_sections.unread(GRPOConfig(**GIVEN), GIVEN)
    return [[*one.words] for one in found]


@pytest.mark.parametrize(
    ("script", "file", "section", "said"),
    [
        (SCRIPT, FILE, "grpo", SAID),
        (SHOWS, FILE, "grpo", SAID),
        (f'{SCRIPT}own = conf["grpo"]\nlogger.info("KL %s", own["beta"])\n', FILE, "grpo", SAID),
        (SCRIPT, {**FILE, "grpo": {**OWN, "system": "Think."}}, "grpo", SAID),
        (SCRIPT.replace("conf[", "conf['job']["), {"job": FILE}, "grpo", SAID),
        (SCRIPT, {"training": GIVEN, "optimizer": OPTIM}, "optimizer", CHANGED),
        (SCRIPT, {"training": GIVEN, "optim_args": OPTIM}, "optim_args", CHANGED),
        (
            SCRIPT,
            {"training": GIVEN, "generation": {**OWN, "temperature": 1.0}},
            "generation",
            "beta (0.04, not 0.0), num_generations (4, not 8)",
        ),
        (
            SCRIPT.replace('**conf["training"]', "**{k: conf[k] for k in ('learning_rate',)}"),
            {**GIVEN, "GRPO": OWN, "lora": {"r": 8, "lora_alpha": 16, "lora_dropout": 0.1}},
            "GRPO",
            SAID,
        ),
    ],
)
def test_a_section_that_is_not_passed(
    script: str,
    file: dict[str, Any],
    section: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert unread(script, file, tmp_path, monkeypatch) == [[section, "grpo.yaml", said]]


@pytest.mark.parametrize(
    "more",
    [
        'trainer = build(GRPOConfig(**conf["grpo"]))',
        'later = dict(conf["grpo"])\nprint(later, train(later))',
        'own = conf.get("grpo", {})\nargs.beta = own["beta"]',
        'for name in ("training", "grpo"):\n    given.update(conf[name])',
        'print("mean reward", run(conf["grpo"]))',
        'if conf["grpo"]["num_generations"] > 1:\n    batch = 8',
        'kwargs.update(conf["grpo"])',
        "section = conf[options.trainer]",
        "section = conf.get(options.trainer)",
        "section = getattr(conf, options.trainer)",
        "for name, section in conf.items():\n    given.update(section)",
        "settings = Settings(**conf)\nargs.beta = settings.grpo.beta",
        'keys = "training, grpo".split(", ")',
    ],
)
def test_a_section_that_the_code_may_read(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unread(f"{SCRIPT}{more}\n", FILE, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    "file",
    [
        {"training": GIVEN, "ppo": OWN},
        {"training": GIVEN, "grpo_small": OWN},
        {"training": GIVEN, "eval": OWN},
        {"training": GIVEN, "vllm": OWN},
        {"training": GIVEN, "sampling": {**OPTIM, "temperature": 0.6}},
        {"training": GIVEN, "grpo": {**OWN, **GIVEN}},
        {"training": GIVEN, "grpo": {**OWN, "max_steps": 5, "learning_rate": 1e-5}},
        {"training": GIVEN, "grpo": OWN, "rloo": {**OWN, "beta": 0.05}},
        {"training": GIVEN, "grpo": {"beta": 0.04, "num_generations": 4}},
        {"training": GIVEN, "grpo": {**OWN, "host": "a", "port": 1}},
        {"training": GIVEN, "grpo": {"beta": 0.0, "num_generations": 8, "temperature": 0.7}},
        {"training": {**GIVEN, "learning_rate": 1.0}, "grpo": OWN},
        {"training": {"output_dir": "runs"}, "grpo": OWN},
    ],
)
def test_a_section_that_is_for_something_else(
    file: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unread(SCRIPT, file, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("evaluate.py", 'conf = yaml.safe_load(file)["grpo"]', 0),
        ("launch.sh", "python train.py --beta $(yq .grpo.beta grpo.yaml)", 0),
        ("run.sh", "python train.py grpo.yaml", 1),
    ],
)
def test_a_section_that_another_program_reads(
    name: str, text: str, told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(text)
    assert len(unread(SCRIPT, FILE, tmp_path, monkeypatch)) == told


def test_one_that_the_code_does_not_pass_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = SCRIPT.replace('conf["training"]', "pick(conf)")
    assert unread(script, FILE, tmp_path, monkeypatch) == []


def test_what_is_no_config() -> None:
    assert [*unpassed_sections.unread(object(), GIVEN)] == []
    assert [*unpassed_sections.unread(GRPOConfig(), None)] == []
