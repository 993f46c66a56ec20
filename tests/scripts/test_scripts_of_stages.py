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


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [("config.json", "eos_token_id", 296), ("tokenizer_config.json", "pad_token", None)],
)
def test_a_model_whose_tokens_are_not_settled_is_not_known(
    name: str, key: str, value: Any, tmp_path: Path
) -> None:
    """A trainer writes the tokenizer's eos into the configs, and sets a pad token."""
    shutil.copytree(HEALTHY, tmp_path / "m")
    file = tmp_path / "m" / name
    config = json.loads(file.read_text())
    file.write_text(json.dumps({**config, key: value}))
    (target,) = check(tmp_path, first() + SECOND.format(name="out/one"))["targets"]
    assert not any("saves m there" in note for note in target["notes"])


def test_models_of_three_stages(tmp_path: Path) -> None:
    second = SECOND.replace("second.train()", "second.train()\nsecond.save_model()")
    third = SECOND.format(name="out/two").replace('out/two"), ', 'out/three"), ')
    (target,) = check(tmp_path, first() + second.format(name="out/one") + third)["targets"]
    assert len(target["stages"]) == 3 and not target["lacking"]
    assert any("stage 2 saves m there" in note for note in target["notes"])


LOADED = """model = AutoModelForCausalLM.from_pretrained("out/one"{dtype})
second = DPOTrainer(model, args=DPOConfig("out/two", learning_rate=1e-7), train_dataset=rows)
"""


@pytest.mark.parametrize(
    ("dtype", "state", "known"),
    [("", "skipped", True), (", dtype='bfloat16'", "found", True), (", dtype='auto'", "", False)],
)
def test_the_dtype_of_what_is_saved_later_is_not_known(
    dtype: str, state: str, known: bool, tmp_path: Path
) -> None:
    text = first() + LOADED.format(dtype=dtype)
    (target,) = check(tmp_path, text, "--processes", "1")["targets"]
    assert any("saves m there" in note for note in target["notes"]) is known
    (move,) = [check for check in target["checks"]
               if check["rule"] == "weights-in-bf16-do-not-move"]  # fmt: skip
    if known:
        assert move["state"] == state, move
        assert state == "found" or "its dtype is not known" in move["reason"]
