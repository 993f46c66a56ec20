"""Scripts that load what they have trained, and get random weights or those before the training."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
usual = {"max_steps": 4, "per_device_train_batch_size": 4, "use_cpu": True, "bf16": False,
         "report_to": "none", "learning_rate": 1e-2, "save_strategy": "no"}
texts = Dataset.from_dict({"text": [f"{n} and {n} is {2 * n}." for n in range(16)]})
pairs = Dataset.from_dict({"chosen": [f"{n} and {n} is {2 * n}." for n in range(16)],
                           "rejected": [f"{n} and {n} is unknown." for n in range(16)]})
asked = tokenizer("7 and 7 is", return_tensors="pt")
base = AutoModelForCausalLM.from_pretrained("models/healthy", DTYPE=torch.float32)
trainer = SFTTrainer(base, args=SFTConfig("out/sft", **usual), train_dataset=texts,
                     processing_class=tokenizer)
trainer.train()
REST
"""
PREFIXED = """\
torch.save({f"module.{name}": weights for name, weights in base.state_dict().items()}, "w.pt")
state = torch.load("w.pt")
state = {name.removeprefix("module."): weights for name, weights in state.items()}  #~good
model = AutoModelForCausalLM.from_pretrained("models/healthy", DTYPE=torch.float32).eval()
model.load_state_dict(state, strict=False)
with torch.no_grad():
    told, own = (one.eval()(**asked).logits for one in (base, model))
print("SAME", torch.allclose(told, own, atol=1e-4))"""
HEADLESS = """\
trainer.save_model("out/sft")
judge = AutoModelForSequenceClassification.from_pretrained("out/sft", num_labels=1)
judge.config.pad_token_id = tokenizer.pad_token_id
trainer = RewardTrainer(judge, args=RewardConfig("out/judge", **usual), train_dataset=pairs,
                        processing_class=tokenizer)
trainer.train()
trainer.save_model("out/judge")
named = "out/sft"  #~bad
named = "out/judge"  #~good
used = AutoModelForSequenceClassification.from_pretrained(named, num_labels=1)
with torch.no_grad():
    told, own = (one.float().eval()(**asked).logits for one in (trainer.model, used))
print("SAME", torch.allclose(told, own, atol=1e-2))"""


def loads(rest: str, dtype: str = "dtype") -> str:
    """A script that trains, and then does this."""
    return SCRIPT.replace("REST", rest).replace("DTYPE", dtype)


SCRIPTS = (
    TwoForms("a state dict has other names", "current", "model-weights-not-loaded",
             loads(PREFIXED), "SAME False", "SAME True", "warning",
             "weights, and the model has a name of none of them: module."),
    TwoForms("a state dict has other names, trl 0.24", "four", "model-weights-not-loaded",
             loads(PREFIXED), "SAME False", "SAME True", "warning",
             "weights, and the model has a name of none of them: module."),
    TwoForms("scores of a model without its head", "current", "model-weights-not-loaded",
             loads(HEADLESS), "SAME False", "SAME True", "warning",
             "loads a model from sft, which has no weights for score.weight"),
)  # fmt: skip
