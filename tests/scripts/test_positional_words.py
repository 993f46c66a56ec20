"""Words that argparse takes by their order, and the run file that only the script itself reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_script_shapes import opened, settled

ORDERED = """\
import argparse, yaml
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("steps", type=int, nargs="?", default=9)
parser.add_argument("--packing", action="store_true")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--sizes", type=int, nargs=2, default=[8, 1])
args = parser.parse_args()
config = SFTConfig(
    "out", learning_rate=args.lr, max_steps=args.steps, packing=args.packing,
    per_device_train_batch_size=args.sizes[0],
)
SFTTrainer(model=args.model, args=config).train()
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("org/m", ("org/m", 9, False, 0.1, 8)),
        ("org/m 5", ("org/m", 5, False, 0.1, 8)),
        ("--packing org/m 5", ("org/m", 5, True, 0.1, 8)),
        ("--lr 0.2 org/m --sizes 4 2 5", ("org/m", 5, False, 0.2, 4)),
        ("org/m --lr=0.2 5 --packing", ("org/m", 5, True, 0.2, 8)),
    ],
)
def test_words_are_taken_by_their_order(
    line: str, expected: tuple[object, ...], tmp_path: Path
) -> None:
    run = opened(ORDERED, tmp_path, tuple(line.split()))
    given = settled(run)
    keys = ("max_steps", "packing", "learning_rate", "per_device_train_batch_size")
    assert (run.models["policy"].name, *(given[key] for key in keys)) == expected


def test_a_word_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    run = opened(ORDERED, tmp_path, ("--packing",))
    assert "it comes from the command line (model): give it after --" in str(run.policy)


READS = """\
import argparse, yaml
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument({name!r})
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
settings = yaml.safe_load(open(args.config))
config = SFTConfig("out", learning_rate=args.lr, max_steps=settings["lr"])
SFTTrainer(model=settings["model"], args=config).train()
"""


@pytest.mark.parametrize(
    ("name", "line"), [("--config", "--config run.yaml"), ("config", "run.yaml")]
)
def test_argparse_reads_no_file_by_itself(
    name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.yaml").write_text("model: org/m\nlr: 7\n")
    monkeypatch.chdir(tmp_path)
    run = opened(READS.format(name=name), tmp_path, tuple(line.split()))
    given = settled(run)
    assert (given["learning_rate"], given["max_steps"]) == (0.1, 7)


def test_trls_own_parser_reads_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.yaml").write_text("output_dir: out\nlearning_rate: 0.5\n")
    monkeypatch.chdir(tmp_path)
    text = (
        "from trl import SFTConfig, SFTTrainer, TrlParser\n"
        "(args,) = TrlParser(SFTConfig).parse_args_and_config()\n"
        "SFTTrainer(model='org/m', args=args).train()\n"
    )
    run = opened(text, tmp_path, ("--config", "run.yaml"))
    assert settled(run)["learning_rate"] == 0.5
