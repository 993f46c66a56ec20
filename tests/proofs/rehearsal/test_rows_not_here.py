"""Scripts whose model and data are on the Hub run to their end where there is no Hub."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from rehearsing import measured, rehearsal

TEXTS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("org/small-llama")
tokenizer = AutoTokenizer.from_pretrained("org/small-llama")


def split(row):
    begin = row["chosen"].rfind(" ")
    return {"prompt": row["chosen"][:begin], "chosen": row["chosen"][begin:],
            "rejected": row["rejected"][begin:]}


rows = load_dataset("NAME", split="train[:10%]").map(split)
trainer = DPOTrainer(model, args=DPOConfig("out", bf16=False), train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
"""
TALKS = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("org/small-llama")


def text(row):
    turns = row["prompt"] + row["completion"]
    return {"text": " ".join(f"{turn['role']}: {turn['content']}" for turn in turns)}


rows = load_dataset("org/talks", split="train").map(text, remove_columns=["prompt", "completion"])
trainer = SFTTrainer("org/small-llama", args=SFTConfig("out", bf16=False), train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        TEXTS.replace("NAME", "Anthropic/hh-rlhf"),
        TEXTS.replace("NAME", "org/dialogues"),
        TALKS,
    ],
    ids=["known to be texts", "taken for talks", "taken for texts"],
)
def test_made_rows_get_the_form_that_the_script_takes(
    script: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(script)
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    shows = measured(report)
    assert (shows["reached"], shows["failure"]) == ("end", None)
    assert status == 3, "the model's own files could not be examined"
    (target,) = report["targets"]
    assert "org/small-llama is not in the local cache" in str(target["lacking"])
