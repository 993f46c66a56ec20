"""Scripts with several trainers: one report, and models that an earlier one saves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

HEALTHY = Path(__file__).parents[2] / "fixtures/models/healthy"
HEAD = """from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer
rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows.shuffle(seed=1)
"""
FIRST = """first = SFTTrainer("m", args=SFTConfig("out/one"{options}), train_dataset=rows{more})
first.train()
first.save_model({folder})
"""
SECOND = """second = DPOTrainer("{name}", args=DPOConfig("out/two"), train_dataset=rows)
second.train()
"""


def check(folder: Path, text: str, *options: str) -> dict[str, Any]:
    (folder / "train.py").write_text(HEAD + text)
    if not (folder / "m").exists():
        shutil.copytree(HEALTHY, folder / "m")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        words = ("check", "train.py", "--level", "files", "--offline", "--with", "trl==1.16.0",
                 "--with", "transformers==5.23.0", "-o", "json", *options)  # fmt: skip
        result = CliRunner().invoke(main, words)
    return dict(json.loads(result.stdout))


def first(options: str = "", folder: str = "", more: str = "") -> str:
    return FIRST.format(options=options, folder=folder, more=more)


def test_the_trainers_of_a_script_have_one_report(tmp_path: Path) -> None:
    report = check(tmp_path, first() + SECOND.format(name="out/one"))
    (target,) = report["targets"]
    assert [stage["name"] for stage in target["stages"]] == [
        "SFTTrainer at train.py:6",
        "DPOTrainer at train.py:9",
    ]
    lost = [found for check in target["checks"] for found in check["findings"]
            if check["rule"] == "data-result-thrown-away"]  # fmt: skip
    assert len(lost) == 1 and lost[0]["evidence"][0] == "in both trainers"


@pytest.mark.parametrize(
    ("options", "folder", "more", "name", "known"),
    [
        ("", "", "", "out/one", True),
        ("", "'final/'", "", "final", True),
        ("", "output_dir='final'", "", "./final", True),
        ("", "'final'", "", "out/one", False),
        ("", "", "", "out/one/checkpoint-5", False),
        (", eos_token='<|im_end|>'", "", "", "out/one", False),
        ("", "", ", peft_config=adapter", "out/one", False),
    ],
)
def test_a_model_that_an_earlier_trainer_saves(
    options: str, folder: str, more: str, name: str, known: bool, tmp_path: Path
) -> None:
    adapter = "from peft import LoraConfig\nadapter = LoraConfig(r=4)\n" if more else ""
    text = adapter + first(options, folder, more) + SECOND.format(name=name)
    (target,) = check(tmp_path, text)["targets"]
    noted = [note for note in target["notes"] if "stage 1 saves m there" in note]
    assert bool(noted) is known, target["notes"]
    lacking = [reason for reason in target["lacking"] if "which is not here yet" in reason]
    assert bool(lacking) is not known, target["lacking"]


def test_a_model_whose_eos_is_not_settled_is_not_known(tmp_path: Path) -> None:
    shutil.copytree(HEALTHY, tmp_path / "m")
    file = tmp_path / "m/config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, "eos_token_id": 296}))
    (target,) = check(tmp_path, first() + SECOND.format(name="out/one"))["targets"]
    assert not any("saves m there" in note for note in target["notes"])


def test_models_of_three_stages(tmp_path: Path) -> None:
    second = SECOND.replace("second.train()", "second.train()\nsecond.save_model()")
    third = SECOND.format(name="out/two").replace('out/two"), ', 'out/three"), ')
    (target,) = check(tmp_path, first() + second.format(name="out/one") + third)["targets"]
    assert len(target["stages"]) == 3 and not target["lacking"]
    assert any("stage 2 saves m there" in note for note in target["notes"])
