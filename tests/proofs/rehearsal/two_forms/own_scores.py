"""Scripts that read log-probabilities of a trained model by themselves, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
import torch
import torch.nn.functional as F
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"text": [f"User: What of {n} and {n + 5}? Assistant: {2 * n + 5} it is."
                                   for n in range(16)]})
model = AutoModelForCausalLM.from_pretrained("models/healthy", torch_dtype=torch.float32)
args = SFTConfig(output_dir="out", max_steps=4, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", learning_rate=1e-3, save_strategy="no")
trainer = SFTTrainer(model, args=args, train_dataset=rows, processing_class=tokenizer)
trainer.train()
model = trainer.model.eval()


OWN


with torch.no_grad():
    ids = tokenizer(rows["text"][0], return_tensors="pt")["input_ids"]
    told, own = model(input_ids=ids, labels=ids).loss.item(), loss_of(ids)
print("THE MODEL AGREES", abs(told - own) < 0.01)
"""
GATHERED = """\
def loss_of(ids):
    logits = model(input_ids=ids).logits.float()
    logits, labels = logits, ids  #~bad
    logits, labels = logits[:, :-1], ids[:, 1:]  #~good
    each = torch.gather(logits.log_softmax(-1), 2, labels.unsqueeze(-1)).squeeze(-1)
    return -each.mean().item()"""
ONE_BY_ONE = """\
def loss_of(ids):
    scores = F.log_softmax(model(input_ids=ids).logits.float(), dim=-1)
    total = 0.0
    for at in range(1, ids.shape[1]):
        total -= scores[0, at, ids[0, at]].item()  #~bad
        total -= scores[0, at - 1, ids[0, at]].item()  #~good
    return total / (ids.shape[1] - 1)"""
BACKWARDS = """\
def loss_of(ids):
    logits = model(input_ids=ids).logits.float()
    logits, labels = logits[:, 1:], ids[:, :-1]  #~bad
    logits, labels = logits[:, :-1], ids[:, 1:]  #~good
    return F.cross_entropy(logits.transpose(1, 2), labels).item()"""
RULE = "model-scores-not-shifted"
BAD, GOOD = "THE MODEL AGREES False", "THE MODEL AGREES True"

SCRIPTS = (
    TwoForms("scores are gathered for the tokens themselves", "current", RULE,
             SCRIPT.replace("OWN", GATHERED), BAD, GOOD, "warning", "the prediction of this token"),
    TwoForms("scores are read one by one, trl 0.24", "four", RULE,
             SCRIPT.replace("OWN", ONE_BY_ONE), BAD, GOOD, "warning", "the prediction of this"),
    TwoForms("scores are shifted the other way, trl 0.15", "grpo-first", RULE,
             SCRIPT.replace("OWN", BACKWARDS), BAD, GOOD, "warning", "of the token before it"),
)  # fmt: skip
