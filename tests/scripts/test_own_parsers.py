"""Parsers of a script's own class, which derives from one of transformers or TRL."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_script_shapes import opened, settled

OWN = """\
import os, sys
from dataclasses import dataclass, field
from transformers import HfArgumentParser
from trl import DPOConfig, DPOTrainer

@dataclass
class ModelArguments:
    model_name_or_path: str = field(default=None)

class OwnParser(HfArgumentParser):
    def parse_file_and_words(self, file, words):
        return self.parse_yaml_file(os.path.abspath(file))

    def {name}(self):
        if len(sys.argv) > 1 and sys.argv[1].endswith(".yaml"):
            return self.parse_yaml_file(os.path.abspath(sys.argv[1]))
        return self.parse_args_into_dataclasses()

model_args, training_args = OwnParser((ModelArguments, DPOConfig)).{called}()
DPOTrainer(model=model_args.model_name_or_path, args=training_args).train()
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run.yaml", ("org/file", 0.5, 8)),
        ("run.yaml --learning_rate=0.25 --model_name_or_path=org/m", ("org/m", 0.25, 8)),
        ("--output_dir out --model_name_or_path org/m --learning_rate 1", ("org/m", 1, None)),
    ],
)
def test_the_parser_of_the_alignment_handbook(
    line: str, expected: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text(
        "model_name_or_path: org/file\noutput_dir: out\nlearning_rate: 0.5\nmax_steps: 8\n"
    )
    run = opened(OWN.format(name="parse", called="parse"), tmp_path, tuple(line.split()))
    given = settled(run)
    found = run.models["policy"].name, given.get("learning_rate"), given.get("max_steps")
    assert found == expected


def test_another_method_of_the_class_is_not_guessed(tmp_path: Path) -> None:
    run = opened(OWN.format(name="read", called="read"), tmp_path, ("run.yaml",))
    assert "the trainer's arguments are not known" in "".join(map(str, run.notes))
    assert run.models["policy"].name == "(not known)"


def test_a_method_of_the_library_is_read(tmp_path: Path) -> None:
    text = OWN.format(name="read", called="parse_args_into_dataclasses")
    run = opened(text, tmp_path, ("--model_name_or_path", "org/m", "--max_steps", "3"))
    assert (run.models["policy"].name, settled(run)["max_steps"]) == ("org/m", 3)
