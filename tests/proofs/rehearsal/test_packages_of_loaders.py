"""Packages that only the loading of a model needs: a rehearsal leaves them out, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, measured, rehearsal

SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32", LOADED)
talks = [[{"role": "user", "content": f"Count to {n}."},
          {"role": "assistant", "content": ", ".join(map(str, range(n)))}] for n in range(4, 40)]
args = SFTConfig("out", max_steps=1, learning_rate=1e-4, bf16=False, report_to="none")
trainer = SFTTrainer(model=model, args=args, processing_class=tokenizer,
                     train_dataset=Dataset.from_dict({"messages": talks}))
trainer.train()
trainer.save_model("final")
"""
BITS = "quantization_config=BitsAndBytesConfig(load_in_4bit=True)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loaded", "raises", "rule"),
    [
        (BITS, "bitsandbytes", "package-not-installed"),
        ('attn_implementation="flash_attention_2"', "flash", "flash-attention-not-installed"),
        ('attn_implementation="sdpa"', "", ""),
    ],
    ids=["4 bit", "FlashAttention", "neither"],
)
def test_a_missing_package_is_an_error(
    loaded: str, raises: str, rule: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(SCRIPT.replace("LOADED", loaded))
    process = ran(python, "train.py", cwd=tmp_path)
    assert (process.returncode == 0, raises in process.stderr.lower()) == (not rule, True)
    status, report = rehearsal(tmp_path, python, "train.py")
    assert measured(report)["reached"] == "end"
    assert (status, [*findings_by_rule(report)]) == ((1, [rule]) if rule else (0, []))
