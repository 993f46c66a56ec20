"""Labels at the wrong places: what a model learns from them, and what a rehearsal says."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, default_data_collator
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)


def tokenize(row):
    made = dict(tokenizer(row["text"], padding="max_length", truncation=True, max_length=64))
    {labels}
    return made


rows = Dataset.from_dict({{"text": ["One, two, three, four, five, six."] * 8}})
rows = rows.map(tokenize, remove_columns="text")
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="out", max_steps=90, learning_rate=1e-2, per_device_train_batch_size=2,
        use_cpu=True, bf16=False, report_to="none", save_strategy="no",
        remove_unused_columns=False, dataset_kwargs={{"skip_prepare_dataset": True}},
    ),
    train_dataset=rows,
    data_collator={collator},
    processing_class=tokenizer,
)
trainer.train()
ids = torch.tensor([tokenizer("One, two, three, four, five, six.")["input_ids"]])
with torch.no_grad():
    said = model.eval()(ids).logits.argmax(-1)[0, :-1]
print("says the next token:", round((said == ids[0, 1:]).float().mean().item()))
"""
SEEN = 'ids, seen = made["input_ids"], made["attention_mask"]\n    '
LABELS = {
    "healthy": 'made["labels"] = [id if here else -100 for id, here in zip(ids, seen)]',
    "shifted": 'made["labels"] = [id if here else -100 for id, here in zip(ids[1:], seen[1:])]'
    " + [-100]",
    "padding": 'made["labels"] = list(ids)',
    "moved": 'made["labels"] = [ids[at - 5] if at >= 5 and here else -100 '
    "for at, here in enumerate(seen)]",
    "filled": 'made = {"input_ids": ids}',
}
CASES = {"current": ("healthy", "shifted", "moved", "filled"),
         "four": ("healthy", "shifted", "moved", "padding")}  # fmt: skip
COLLATORS = {"filled": "None"}
TOLD = {
    "filled": "step-labels-on-padding",
    "shifted": "step-labels-shifted-twice",
    "moved": "step-labels-of-other-places",
    "padding": "step-labels-on-padding",
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", CASES)
def test_labels_at_the_wrong_places(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    for name in CASES[environment]:
        collator = COLLATORS.get(name, "default_data_collator")
        (tmp_path / "train.py").write_text(
            SCRIPT.format(labels=SEEN + LABELS[name], collator=collator)
        )
        process = ran(python, "train.py", cwd=tmp_path)
        learned = "0" if name in ("shifted", "moved") else "1"
        assert f"says the next token: {learned}" in process.stdout, (name, process.stderr[-800:])
        _, report = rehearsal(tmp_path, python, "train.py")
        rules = {rule for rule in findings_by_rule(report) if rule in TOLD.values()}
        assert rules == ({TOLD[name]} if name in TOLD else set()), findings_by_rule(report)
