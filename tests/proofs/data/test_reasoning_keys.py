"""A key of the messages that holds what was thought, and that the chat template does not read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
    "{{ m.content }}<|im_end|>\n{% endfor %}"
)
SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

args = SFTConfig("out", max_steps=1, report_to="none", save_strategy="no", use_cpu=True, bf16=False)
rows = load_dataset("json", data_files="rows.jsonl", split="train")
trainer = SFTTrainer("model", args=args, train_dataset=rows)
trainer.train()
read = trainer.processing_class.decode(trainer.train_dataset[0]["input_ids"])
print("the thought is read:", "it is so" in read)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "key", "read"),
    [
        ("four", "thinking", False),
        ("four", "reasoning", False),
        ("four", "reasoning_content", True),
        ("engine", "thinking", False),
        ("current", "thinking", True),
        ("current", "reasoning", True),
    ],
)
def test_a_key_of_the_reasoning(
    environment: str, key: str, read: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "model/chat_template.jinja").write_text(TEMPLATE)
    asked = {"role": "user", "content": "Why?", key: ""}
    answer = {"role": "assistant", "content": "So.", key: "it is so"}
    (tmp_path / "rows.jsonl").write_text((json.dumps({"messages": [asked, answer]}) + "\n") * 8)
    (tmp_path / "train.py").write_text(SCRIPT)
    done = ran(python, "train.py", cwd=tmp_path)
    assert f"the thought is read: {read}" in done.stdout, done.stderr[-2000:]

    outcomes = checks(tmp_path / "train.py", python, "--level", "files", statuses=(0, 1))
    found = outcomes["chat-template-drops-texts"]["findings"]
    assert [f"({key})" in finding["message"] for finding in found] == ([] if read else [True])
