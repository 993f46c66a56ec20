"""Rows that are longer than a rehearsal's steps hold: nothing is said that the run does not do."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

LIMIT = 2048
"""The run's own `max_length`."""

SCRIPT = """\
import random
import trl
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

random.seed(1)
WORDS = "the cat sat on a mat and looked at the moon while rain fell over green hills".split()


def turn(role, words, end=""):
    return [{"role": role, "content": " ".join(random.choices(WORDS, k=words)) + end}]


rows = []
for n in range(16):
    question = turn("user", 250)
    good, bad = turn("assistant", 130 + n, " so it ends."), turn("assistant", 120 + n, " no.")
    rows.append(ROW)
args = trl.KINDConfig(
    output_dir="out", max_length=LIMIT, learning_rate=1e-4, per_device_train_batch_size=4,
    max_steps=1, report_to="none", save_strategy="no", bf16=False, use_cpu=True,
)
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForLOADED.from_pretrained("models/healthy", dtype="float32", **MORE)
trainer = trl.KINDTrainer(
    model, args=args, train_dataset=Dataset.from_list(rows), processing_class=tokenizer
)
print("KEPT", len(trainer.train_dataset), "LONGEST", max(
    max(len(cell) for cell in row.values() if isinstance(cell, list))
    for row in trainer.train_dataset
))
trainer.train()
trainer.save_model("out")
""".replace("LIMIT", str(LIMIT))

PAIR = '{"prompt": question, "chosen": good, "rejected": bad}'
KINDS = {
    "SFT": ('{"prompt": question, "completion": good}', "CausalLM", "{}"),
    "DPO": (PAIR, "CausalLM", "{}"),
    "KTO": ('{"prompt": question, "completion": good, "label": n % 3 == 0}', "CausalLM", "{}"),
    "Reward": (PAIR, "SequenceClassification", '{"num_labels": 1}'),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_fit_the_run_are_whole(
    kind: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    row, loaded, more = KINDS[kind]
    script = SCRIPT.replace("ROW)", f"{row})").replace("KIND", kind).replace("LOADED", loaded)
    (tmp_path / "train.py").write_text(script.replace("MORE", more))
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    assert "KEPT 16" in process.stdout
    _, report = rehearsal(tmp_path, python, "train.py")
    assert findings_by_rule(report) == {}


def test_rows_that_do_not_fit_are_counted_by_the_runs_own_limit(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    row, loaded, more = KINDS["SFT"]
    script = SCRIPT.replace("ROW)", f"{row})").replace("KIND", "SFT").replace("LOADED", loaded)
    script = script.replace("MORE", more).replace(f"max_length={LIMIT}", "max_length=1100")
    (tmp_path / "train.py").write_text(script)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    _, report = rehearsal(tmp_path, interpreter("current"), "train.py")
    (finding,) = findings_by_rule(report)["step-rows-lost"]
    assert "as long as max_length (1100)" in finding["message"]
