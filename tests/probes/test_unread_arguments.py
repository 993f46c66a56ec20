"""Arguments in a file of the script's own that do not reach its config."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.settings import config_files, left_keys

SCRIPT = """
training = load("recipe.yaml")
args = Config(learning_rate=training["learning_rate"], max_steps=training["max_steps"],
              logging_steps=training["logging_steps"])
"""
FILE = {"learning_rate": 1e-5, "max_steps": 4, "logging_steps": 1, "beta": 0.1, "seed": 7}


@dataclass
class Config:
    learning_rate: float = 1e-4
    max_steps: int = -1
    logging_steps: int = 10
    beta: float = 0.0
    seed: int = 42


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with a script that has read a file, and given three of its keys to the config."""
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.setattr(config_files, "own_files", lambda: [str(tmp_path / "train.py")])
    monkeypatch.setattr(config_files, "_sections", [])
    monkeypatch.setattr(config_files, "is_own", lambda file: True)
    (tmp_path / "recipe.yaml").write_text("")
    return tmp_path


def unread(folder: Path) -> list[Any]:
    with (folder / "recipe.yaml").open() as file:
        _load(file)
    given = {key: FILE[key] for key in ("learning_rate", "max_steps", "logging_steps")}
    return [one.words for one in config_files.unread(Config(**given), given)]  # type: ignore[arg-type]


def _load(file: Any) -> None:
    config_files._load(lambda source: dict(FILE), file)


def test_keys_that_nothing_reads(folder: Path) -> None:
    assert unread(folder) == [["beta (0.1, not 0.0), seed (7, not 42)", "recipe.yaml"]]


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("sample.py", 'set_seed(load("recipe.yaml")["seed"])', ["beta (0.1, not 0.0)"]),
        ("launch.sh", "run --beta $(yq .beta $1) --seed $(yq .seed $1)", []),
        ("other.py", "seed, beta = 7, 0.1", ["beta (0.1, not 0.0), seed (7, not 42)"]),
        ("notes.txt", "recipe.yaml: seed and beta", ["beta (0.1, not 0.0), seed (7, not 42)"]),
    ],
)
def test_keys_that_another_program_reads(
    name: str, text: str, left: list[str], folder: Path
) -> None:
    (folder / name).write_text(text)
    assert unread(folder) == [[words, "recipe.yaml"] for words in left]


def test_programs_that_cannot_be_read(folder: Path) -> None:
    (folder / "gone.py").symlink_to(folder / "nothing.py")
    (folder / "kept.py").mkdir()
    assert len(unread(folder)) == 1


def test_keys_that_the_script_lists_in_a_text(folder: Path) -> None:
    (folder / "train.py").write_text(f'{SCRIPT}\nLATER = "seed, beta".split(", ")\n')
    assert unread(folder) == []


GIVEN = {"learning_rate": 1e-5, "max_steps": 4, "logging_steps": 1}
JOBS = {
    "base": "model",
    "grpo": {"adapter_path": "runs/sft", "data": "rows.jsonl", "training_args": GIVEN},
}
FLAT = {**GIVEN, "init_checkpoint": "runs/sft", "lora_r": 64, "data": "rows.jsonl"}
READS = """
jobs = load("recipe.yaml")
def job(config, **more):
    args = Config(**config["training_args"])
    return load_rows(config["data"], names=[row for row in config.get("rows") or []])
job(jobs["grpo"], name=jobs["base"])
"""
PLAIN = """
cfg = load("recipe.yaml")
args = Config(learning_rate=cfg["learning_rate"], max_steps=cfg["max_steps"],
              logging_steps=cfg["logging_steps"], r=8, data=cfg["data"])
"""


def starts(folder: Path, script: str, file: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    (folder / "train.py").write_text(script)
    monkeypatch.setattr(config_files, "loaded", [])
    monkeypatch.setattr(left_keys, "own_files", lambda: [str(folder / "train.py")])
    with (folder / "recipe.yaml").open() as text:
        config_files._load(lambda source: file, text)
    found = left_keys.unread(Config(**GIVEN), GIVEN)  # type: ignore[arg-type]
    return [one.words[0] for one in found]


@pytest.mark.parametrize(
    ("script", "file", "said"),
    [
        (READS, JOBS, "adapter_path (runs/sft)"),
        (PLAIN, FLAT, "init_checkpoint (runs/sft), lora_r (64)"),
        (
            PLAIN.replace("cfg", "self.cfg"),
            {**FLAT, "ref_model": "base", "lora_r": None},
            "init_checkpoint (runs/sft), ref_model (base)",
        ),
        (
            f"{PLAIN}for name, value in other.items():\n    print(name, value)\n",
            {**FLAT, "init_checkpoint": "none", "use_lora": True},
            "lora_r (64), use_lora (True)",
        ),
        (
            f"{PLAIN}model = cfg['model']\nkind = Lora(**cfg['lora'])\n",
            {**FLAT, "model": {"path": "m", "resume_from": "runs/a"}, "lora": {"lora_alpha": 9}},
            "init_checkpoint (runs/sft), lora_r (64)",
        ),
    ],
)
def test_what_a_training_begins_from_is_not_read(
    script: str, file: Any, said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert starts(folder, script, file, monkeypatch) == [said]


@pytest.mark.parametrize(
    ("script", "file"),
    [
        (f"{READS}PeftModel.from_pretrained(model, jobs['grpo']['adapter_path'])\n", JOBS),
        (f"{READS}options = Namespace(**jobs['grpo'])\n", JOBS),
        (f"{READS}options = Options.model_validate(jobs['grpo'])\n", JOBS),
        (f"{READS}grpo = jobs['grpo']\nsetup(model, **grpo)\n", JOBS),
        (f"{READS}for stage in stages:\n    load(jobs[stage][f'{{kind}}_path'])\n", JOBS),
        (f"{READS}path = jobs['grpo'].get(prefix + '_path')\n", JOBS),
        (f"{READS}def flat(one):\n    return {{k: v for k, v in one.items()}}\n", JOBS),
        (f"{READS}def fill(one):\n    for key in one:\n        put(key, one[key])\n", JOBS),
        (READS, {**JOBS, "grpo": {**JOBS["grpo"], "adapter_path": None}}),  # type: ignore[dict-item]
        (READS, {**JOBS, "dpo": {"adapter_path": "runs/sft"}, "grpo": {"training_args": GIVEN}}),
        (f"{READS}flat = {{k: v for part in jobs.values() for k, v in part.items()}}\n", JOBS),
        (f"{PLAIN}args = Lora(**cfg)\n", FLAT),
        (f"{PLAIN}model = build_model(settings=cfg)\n", FLAT),
        (f"{PLAIN}wandb.config.update(cfg)\n", FLAT),
        (f"{PLAIN}options = args.init_checkpoint, args.lora_r\n", FLAT),
        (PLAIN, {**GIVEN, "data": "x", "adapter_name": "mine", "output_adapter": "out"}),
        (PLAIN, {"init_checkpoint": "runs/sft", "data": "x", "author": "me", "notes": "old"}),
        (PLAIN, {**GIVEN, "data": "x", "author": "me", "tags": "a", "year": 1, "version": 2,
                 "place": "b", "host": "c", "disk": "d", "user": "e", "init_checkpoint": "f"}),
    ],
)  # fmt: skip
def test_keys_that_may_be_read(
    script: str, file: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert starts(folder, script, file, monkeypatch) == []
