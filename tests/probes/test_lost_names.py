"""Settings under another name than that of the argument which they mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.settings import config_files, lost_names
from trl_doctor.probes.rehearsal.settings.config_files import Section


@dataclass
class Config:
    learning_rate: float = 2e-5
    max_steps: int = -1
    logging_steps: int = 10
    output_dir: str = "out"
    per_device_train_batch_size: int = 8
    warmup_steps: int = 0
    lr_scheduler_type: str = "linear"


GIVEN = {"max_steps": 4, "logging_steps": 1, "output_dir": "here"}
FILE = {**GIVEN, "lr": 1e-6, "batch_size": 2}
FILTER = "args = Config(**{k: v for k, v in cfg.items() if k in FIELDS})\n"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that gives its config what the config knows."""
    path = tmp_path / "train.py"
    path.write_text(FILTER)
    monkeypatch.setattr(lost_names, "own_files", lambda: [str(path)])
    monkeypatch.setattr(lost_names, "own_modules", dict)
    monkeypatch.setattr(lost_names, "is_own", lambda file: False)
    return path


def unread(monkeypatch: pytest.MonkeyPatch, values: Any, given: Any = None) -> list[Any]:
    monkeypatch.setattr(config_files, "loaded", [Section("run.yaml", "", values)])
    given = given or GIVEN
    return [one.words[0] for one in lost_names.unread(Config(**given), given)]  # type: ignore[arg-type]


LR = "lr (1e-06; learning_rate is 2e-05)"
BATCH = "batch_size (2; per_device_train_batch_size is 8)"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (FILE, [f"{LR}, {BATCH}"]),
        ({"run": {"sft": FILE}}, [f"{LR}, {BATCH}"]),
        ({**GIVEN, "warmup_step": 5}, ["warmup_step (5; warmup_steps is 0)"]),
        ({**GIVEN, "scheduler": "cosine"}, ["scheduler (cosine; lr_scheduler_type is linear)"]),
        ({**GIVEN, "lr": 2e-5, "notes": "first", "batch_size": None}, []),
        ({**GIVEN, "lr": 1e-6, "learning_rate": 2e-5}, []),
        ({"max_steps": 4, "logging_steps": 1, "lr": 1e-6}, []),
        ({**GIVEN, "batch_size": "auto", "scheduler": 3}, []),
    ],
)
def test_keys_that_mean_an_argument(
    values: Any, told: list[str], script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unread(monkeypatch, values) == told


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('NAMES = {"lr": "learning_rate"}\nCFG = {"lr": 1e-6, "batch_size": 2}\n', [BATCH]),
        ('rate = cfg["lr"]\nsize = args.batch_size\n', []),
        ("def set(lr, batch_size):\n    pass\n", []),
        ("class Settings:\n    lr: float = 1e-6\n    batch_size = 2\n", [f"{LR}, {BATCH}"]),
        ('parser.add_argument("--lr", help="lr of the run")\n', [f"{LR}, {BATCH}"]),
        ('for name in ("lr", "batch_size"):\n    pass\n', []),
    ],
)
def test_keys_that_the_code_names(
    code: str, told: list[str], script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.write_text(code + FILTER)
    assert unread(monkeypatch, FILE) == told


def test_a_default_where_the_file_has_another_name(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**GIVEN, "learning_rate": 3e-4}
    script.write_text('args = Config(learning_rate=cfg.get("learning_rate", 3e-4))\n')
    told = "lr (1e-06; learning_rate is 0.0003)"
    assert unread(monkeypatch, FILE, given) == [f"{told}, {BATCH}"]


def test_a_class_that_holds_settings(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = type("Run", (), FILE)
    monkeypatch.setattr(config_files, "loaded", [])
    monkeypatch.setattr(lost_names, "is_own", lambda file: True)
    monkeypatch.setattr(lost_names, "_named", lambda: [("Run", run), ("cfg", run())])
    found = lost_names.unread(Config(**GIVEN), GIVEN)  # type: ignore[arg-type]
    assert [one.words for one in found] == [[f"{LR}, {BATCH}", "Run"]]
