"""What the doctor says of losses of a script's own, measured on the real trainers' own batches."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest
from commands import ran
from laid import ROOT, Interpreter

PAIRS = """
import importlib, json, sys
sys.path[:0] = [{root!r}, "."]
import torch
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig
from trl_doctor.probes.watching.pair_losses import of_pair_loss

folder = {root!r} + "/fixtures/models/"
tokenizer = AutoTokenizer.from_pretrained(folder + "healthy")
rows = [{{"prompt": f"Why {{i}}?", "chosen": f" So {{i}}.", "rejected": f" No, {{i}}.",
         "margin": {margin}}} for i in range(12)]
model = AutoModelForSequenceClassification.from_pretrained(folder + "healthy", num_labels=1)
model.config.pad_token_id = tokenizer.pad_token_id
trainer = importlib.import_module("own").Own(
    model=model, processing_class=tokenizer, train_dataset=Dataset.from_list(rows),
    args=RewardConfig(output_dir="out", use_cpu=True, bf16=False, report_to="none"))
found = of_pair_loss(trainer)
print(json.dumps(found and ["turned", "alike"][found.same]))
"""
OWN = """
import torch
import torch.nn.functional as F
from trl import {base} as Base

class Own(Base):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
{body}
        return (loss, out) if return_outputs else loss
"""
SCORED = """out = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
c, r = out.logits.squeeze(-1).chunk(2)
"""
LEARNED = "loss = -F.logsigmoid(c - r).mean()\n"
ALIKE = SCORED + "both = out.logits.squeeze(-1)\nc, r = both[0::2], both[1::2]\n" + LEARNED
TURNED = SCORED + "loss = -F.logsigmoid(r - c).mean()\n"
POOLED = """ids, mask = inputs["input_ids"], inputs["attention_mask"]
out = model.model(input_ids=ids, attention_mask=mask)
mask = mask.unsqueeze(-1)
c, r = model.score((out.last_hidden_state * mask).sum(1).to(model.dtype)).squeeze(-1).chunk(2)
"""
TIED = """tie = inputs["margin"] == 0
loss = torch.where(tie, (c - r).pow(2), -F.logsigmoid(c - r)).mean()
"""
ONE, VOTES, LATER = "1.0", "[1.0, -1.0][i % 2]", "float(i > 4)"

LOSSES = {
    "every second score": (ALIKE, ONE, "alike"),
    "the wrong way round": (TURNED, ONE, "turned"),
    "a cost": (f"# the model gives costs\n{TURNED}", ONE, None),
    "a low energy": (TURNED.replace("c,", "energy,").replace("- c", "- energy"), ONE, None),
    "votes with a sign": (
        SCORED + 'loss = -F.logsigmoid((c - r) * inputs["margin"].sign()).mean()', VOTES, None,
    ),
    "ties": (SCORED + TIED, LATER, None),
    "pairs that count nothing": (
        SCORED + 'loss = (-F.logsigmoid(c - r) * inputs["margin"]).mean()', LATER, None,
    ),
    "a score of hidden states": (POOLED + LEARNED, ONE, None),
    "gradients of one size": (SCORED + LEARNED + "loss = loss / loss.detach()", ONE, None),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_pairs(name: str, tmp_path: Path, interpreter: Interpreter) -> None:
    body, margin, wrong = LOSSES[name]
    script = PAIRS.format(root=str(ROOT), margin=margin)
    assert _said(tmp_path, interpreter("current"), "RewardTrainer", body, script) == wrong


TOKENS = """
import json, sys
sys.path[:0] = [{root!r}, "."]
import torch
from datasets import Dataset
from trl import SFTConfig
from own import Own
from trl_doctor.probes.watching.own_loss import of_own_loss

rows = [{{"text": f"Why is {{i}} so {{'very ' * i}}large?"}} for i in range(8)]
rows = rows[:1] * 8 if {alike} else rows
trainer = Own(
    model={root!r} + "/fixtures/models/healthy", train_dataset=Dataset.from_list(rows),
    args=SFTConfig(output_dir="out", use_cpu=True, bf16=False, report_to="none",
                   per_device_train_batch_size={margin}))
found = of_own_loss(trainer)
print(json.dumps(next((name for name in ("copied", "rowless") if found.get(name)), None)))
"""
CALLED = """out = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
logits, labels = out.logits[:, :-1].float(), inputs["labels"][:, 1:]
token = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100, reduction="none")
row = token.sum(1) / (labels != -100).sum(1)
"""
BEFORE = """ids = inputs["input_ids"]
before = torch.cat([torch.full_like(ids[:, :1], 298), ids[:, :-1]], 1)
out = model(input_ids=before)
loss = F.cross_entropy(out.logits.float().transpose(1, 2), inputs["labels"], ignore_index=-100)
"""
COPIED = BEFORE.replace("input_ids=before", "input_ids=ids")
EVERY = "loss = row.mean()"
ROWS = {
    "the first row": (CALLED + "loss = row[0]", "4", "rowless"),
    "all but the last row": (CALLED + "loss = row[:-1].mean()", "4", "rowless"),
    "every row": (CALLED + EVERY, "4", None),
    "batches of one row": (CALLED + "loss = row[0]", "1", None),
    "the worst row": (CALLED + "loss = row.max()", "4", None),
    "not the worst row": (CALLED + "loss = row.sort().values[:-1].mean()", "4", None),
    "the hard half": (CALLED + "loss = row.topk(2).values.mean()", "4", None),
    "short rows": (CALLED + "loss = (row * ((labels != -100).sum(1) < 15)).mean()", "4", None),
    "rows that are the same": (CALLED + "loss = row[0]", "4", None),
    "pairs side by side": (CALLED + "loss = row[0::2].mean()", "4", None),
    "labels that are not shifted": (COPIED, "4", "copied"),
    "inputs that are shifted": (BEFORE, "4", None),
}


@pytest.mark.parametrize("name", ROWS)
def test_losses_of_tokens(name: str, tmp_path: Path, interpreter: Interpreter) -> None:
    body, size, wrong = ROWS[name]
    alike = name == "rows that are the same"
    script = TOKENS.format(root=str(ROOT), margin=size, alike=alike)
    assert _said(tmp_path, interpreter("current"), "SFTTrainer", body, script) == wrong


GENERATED = """
import json, sys
sys.path[:0] = [{root!r}, "."]
from datasets import Dataset
from trl import GRPOConfig
from own import Own
from trl_doctor.probes.rehearsal.trainers.mistakes.objects import of_loss

trainer = Own(
    model={root!r} + "/fixtures/models/healthy", reward_funcs=lambda completions, **_: [1.0] * 4,
    train_dataset=Dataset.from_dict({{"prompt": ["Why?"] * 8}}),
    args=GRPOConfig(output_dir="out", use_cpu=True, bf16=False, report_to="none",
                    per_device_train_batch_size=4, num_generations=4, max_completion_length=4,
                    max_steps=2, save_strategy="no"))
trainer.train()
print(json.dumps([mistake.what for mistake in of_loss(trainer)]))
"""


def test_a_batch_of_grpo_has_one_size(tmp_path: Path, interpreter: Interpreter) -> None:
    body = "loss, out = super().compute_loss(model, inputs), None"
    script = GENERATED.format(root=str(ROOT))
    assert _said(tmp_path, interpreter("current"), "GRPOTrainer", body, script) == []


def _said(folder: Path, python: Path, base: str, body: str, script: str) -> object:
    (folder / "own.py").write_text(OWN.format(base=base, body=indent(body, " " * 8)))
    (folder / "measure.py").write_text(script)
    process = ran(python, "measure.py", cwd=folder)
    assert process.returncode == 0, process.stderr[-2000:]
    return json.loads(process.stdout.splitlines()[-1])
