"""Losses that combine each row with the values of all others, because of their shapes."""

from __future__ import annotations

from two_forms.script import TwoForms

RULE = "step-loss-mixes-rows-by-shape"
ARGS = """output_dir="out", use_cpu=True, bf16=False, report_to="none", save_strategy="no",
                    max_steps=STEPS, per_device_train_batch_size=SIZE, learning_rate=1e-3"""
MARGINS = f"""\
import torch
from datasets import Dataset
from torch.nn.functional import logsigmoid
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("models/reward")
model = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
rows = Dataset.from_list([{{"chosen": f"What of {{n}}? It is {{n}}.", "margin": float(n),
                           "rejected": f"What of {{n}}? No, {{n}} is bad"}} for n in range(4)])
terms = set()


class Own(RewardTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        scores = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        chosen, rejected = scores.logits.chunk(2)
        margin = inputs["margin"]  #~bad
        margin = inputs["margin"].unsqueeze(-1)  #~good
        each = -logsigmoid(chosen - rejected - margin)
        terms.add(each.numel())
        return (each.mean(), scores) if return_outputs else each.mean()


trainer = Own(model, train_dataset=rows, processing_class=tokenizer,
              args=RewardConfig({ARGS.replace("STEPS", "2").replace("SIZE", "2")}))
trainer.train()
print("TERMS", terms)
"""
NUMBERS = """\
import torch
from transformers import (AutoModelForSequenceClassification, AutoTokenizer,
                          DataCollatorWithPadding, Trainer, TrainingArguments)

tokenizer = AutoTokenizer.from_pretrained("models/reward")
torch.manual_seed(0)
model = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
rows = [{**tokenizer("good " * 5 if n % 2 else "bad " * 5), "labels": n % 2 * 4.0 - 2.0}
        for n in range(16)]


OWN
trainer.train()
model.eval()
with torch.no_grad():
    low, high = (float(model(torch.tensor([row["input_ids"]])).logits) for row in rows[:2])
print("APART", high - low > 2)
"""
GIVEN = f"""model, TrainingArguments(
    {ARGS.replace("STEPS", "60").replace("SIZE", "8")}),
    DataCollatorWithPadding(tokenizer), rows"""
CLASS = f"""\
class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits  #~bad
        logits = outputs.logits.squeeze(-1)  #~good
        loss = torch.nn.functional.mse_loss(logits, labels)
        return (loss, outputs) if return_outputs else loss


trainer = Own({GIVEN})"""
FUNCTION = f"""\
def squared(outputs, labels, num_items_in_batch=None):
    logits = outputs["logits"]  #~bad
    logits = outputs["logits"].squeeze(-1)  #~good
    return ((logits - labels) ** 2).mean()


trainer = Trainer({GIVEN}, compute_loss_func=squared)"""


def two_forms(name: str, script: str, bad: str, good: str, environment: str, says: str) -> TwoForms:
    """A script that this rule warns of."""
    return TwoForms(name, environment, RULE, script, bad, good, "warning", says)


SCRIPTS = (
    two_forms("margins for the scores of all pairs", MARGINS, "TERMS {4}", "TERMS {2}", "current",
              "sub gets tensors of the shapes (3, 1) and (3,)"),
    two_forms("margins for the scores of all pairs, four", MARGINS, "TERMS {4}", "TERMS {2}",
              "four", "sub gets tensors of the shapes (3, 1) and (3,)"),
    two_forms("numbers of all rows", NUMBERS.replace("OWN", CLASS), "APART False", "APART True",
              "current", "mse_loss gets tensors of the shapes (3, 1) and (3,)"),
    two_forms("numbers of all rows in a function", NUMBERS.replace("OWN", FUNCTION), "APART False",
              "APART True", "current", "sub gets tensors of the shapes (3, 1) and (3,)"),
)  # fmt: skip
