"""Scores that a script asks its trained reward model for."""

from __future__ import annotations

from two_forms.script import TwoForms

WITHOUT_END = """\
import torch
from datasets import Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("models/reward")
rows = Dataset.from_list([{"prompt": f"What is {n} plus one? ", "chosen": f"It is {n + 1}.",
                           "rejected": "I would rather not say."} for n in range(8, 16)])
args = RewardConfig(output_dir="out", max_steps=6, per_device_train_batch_size=2, use_cpu=True,
                    bf16=False, learning_rate=1e-3, report_to="none", save_strategy="no")
model = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
trainer = RewardTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
trainer.train()
AGAIN
texts = [row["prompt"] + row["chosen"] for row in rows]
texts = [text + tokenizer.eos_token for text in texts]  #~good
with torch.no_grad():
    scores = model(**tokenizer(texts, padding=True, return_tensors="pt")).logits[:, 0]
    name = next(name for name in ("chosen_ids", "chosen_input_ids")
                if name in trainer.train_dataset.column_names)
    learned = [trainer.model(input_ids=torch.tensor([ids])).logits[0, 0]
               for ids in trainer.train_dataset[name]]
print("SAME", all(torch.allclose(*pair, atol=1e-3) for pair in zip(scores, learned)))
"""
SAVED = """\
trainer.save_model("kept")
model = AutoModelForSequenceClassification.from_pretrained("kept").eval()
trainer.model.eval()"""

SCRIPTS = tuple(
    TwoForms(name, environment, "reward-texts-lack-end-token",
             WITHOUT_END.replace("AGAIN", again),
             "SAME False", "SAME True", "warning", "scores texts that do not end with the eos")
    for name, environment, again in (
        ("texts without their end", "current", "model.eval()"),
        ("texts without their end, four", "four", "model.eval()"),
        ("texts without their end for a model that was saved", "current", SAVED),
    )
)  # fmt: skip
