"""Scripts that go on with an adapter of the Hub are rehearsed with a new one in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, measured, rehearsal

SCRIPT = """\
from datasets import Dataset
from peft import AutoPeftModelForCausalLM, PeftConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

NAME = "org/sft-adapter"
LOADED
talks = [[{"role": "user", "content": f"Count to {n}."},
          {"role": "assistant", "content": ", ".join(map(str, range(n)))}] for n in range(4, 40)]
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=1, learning_rate=1e-4, bf16=False,
                   report_to="none"),
    train_dataset=Dataset.from_dict({"messages": talks}),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("final")
"""
RULE = "adapter-folder-missing"
BASE = """\
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
model = PeftModel.from_pretrained(model, NAME, is_trainable=True)"""
BY_CONFIG = """\
tokenizer = AutoTokenizer.from_pretrained(NAME)
base = PeftConfig.from_pretrained(NAME).base_model_name_or_path
model = AutoModelForCausalLM.from_pretrained(base, dtype="float32")
model = PeftModel.from_pretrained(model, NAME, is_trainable=True)"""
AUTO = """\
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = AutoPeftModelForCausalLM.from_pretrained(NAME, is_trainable=True, revision="v1")"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loaded", "status"), [(BASE, 0), (BY_CONFIG, 3), (AUTO, 3)], ids=["base", "config", "auto"]
)
def test_a_new_adapter_takes_its_place(
    loaded: str, status: int, interpreter: Interpreter, tmp_path: Path
) -> None:
    """Where the base model is not known either, the report is incomplete."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(SCRIPT.replace("LOADED", loaded))
    ended, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    run = measured(report)
    assert (ended, run["reached"], findings_by_rule(report)) == (status, "end", {}), run
    says = "the adapter org/sft-adapter, a new LoRA of rank 8, which is not on this machine"
    assert says in run["made_up"]


def test_a_folder_that_is_not_here_is_an_error(interpreter: Interpreter, tmp_path: Path) -> None:
    """Nothing is made in its place, and the files alone tell it."""
    python = interpreter("current")
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    script = SCRIPT.replace("LOADED", BASE).replace("org/sft-adapter", "./adapters/sft")
    (tmp_path / "train.py").write_text(script)
    assert "Can't find 'adapter_config.json'" in ran(python, "train.py", cwd=tmp_path).stderr
    (finding,) = checks(tmp_path / "train.py", python, "--level", "files")[RULE]["findings"]
    assert finding["line"] == 9
    ended, report = rehearsal(tmp_path, python, "--offline", "train.py")
    assert (ended, [*findings_by_rule(report)]) == (1, [RULE, "script-fails"])
    assert measured(report)["made_up"] == []
