"""Files of hydra that a command line names, and where their values are in the whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_script_shapes import opened, settled

from trl_doctor.facts.run import Run

TRAIN = """\
import hydra
from trl import SFTConfig, SFTTrainer
@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(cfg):
    args = SFTConfig("out", learning_rate=cfg.train.lr, max_steps=cfg.train.steps)
    SFTTrainer(model=cfg.model, args=args).train()
main()
"""

FILES = {
    "config.yaml": "model: org/m\ndefaults:\n  - train: short\n",
    "long.yaml": "model: org/long\ndefaults: [train: short]\n",
    "train/short.yaml": "lr: 0.5\nsteps: 1\n",
    "train/other.yaml": "lr: 0.25\nsteps: 2\n",
    "experiment/big.yaml": "# @package _global_\nmodel: org/big\ntrain:\n  steps: 9\n",
    "size/tiny.yaml": "# @package train\nsteps: 3\n",
    "../more/config.yaml": "model: org/more\ntrain: {lr: 1, steps: 4}\n",
}


def run(folder: Path, line: str) -> Run:
    for name, text in FILES.items():
        file = folder / "conf" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return opened(TRAIN, folder, tuple(line.split()))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ("org/m", 0.5, 1)),
        ("train=other", ("org/m", 0.25, 2)),
        ("train=other.yaml train.steps=7", ("org/m", 0.25, 7)),
        ("--config-name=long", ("org/long", 0.5, 1)),
        ("--config-name long.yaml train.steps=7", ("org/long", 0.5, 7)),
        ("-cp more", ("org/more", 1, 4)),
        ("--multirun +experiment=big", ("org/big", 0.5, 9)),
        ("+size=tiny", ("org/m", 0.5, 3)),
    ],
)
def test_what_a_command_line_chooses(
    line: str, expected: tuple[object, ...], tmp_path: Path
) -> None:
    made = run(tmp_path, line)
    given = settled(made)
    assert (made.models["policy"].name, given["learning_rate"], given["max_steps"]) == expected


def test_a_file_that_is_not_there_leaves_the_rest_open(tmp_path: Path) -> None:
    made = run(tmp_path, "--config-name=gone")
    assert "the configuration of hydra cannot be read" in str(made.policy)


def test_a_value_that_a_launch_file_does_not_show(tmp_path: Path) -> None:
    made = run(tmp_path, "train.steps=\0$1 gives it")
    assert settled(made)["learning_rate"] == 0.5
    assert "max_steps" not in settled(made)
