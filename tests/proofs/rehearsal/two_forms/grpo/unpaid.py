"""Runs of GRPO whose reward pays nothing of what a small random model writes in a rehearsal.

A real run writes longer completions, and some of them are paid.
"""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer

rows = [{"prompt": [{"role": "user", "content": f"{n} and {n} is?"}]} for n in range(40)]
model = AutoModelForCausalLM.from_pretrained("models/healthy")
before = model.model.layers[0].self_attn.q_proj.weight.detach().clone()


def is_long(completions, **kwargs):
    return [float(len(completion[0]["content"]) > 150) for completion in completions]


BEFORE
args = GRPOConfig(output_dir="out", max_steps=3, per_device_train_batch_size=16, beta=0.0,
                  num_generations=8, max_completion_length=128, report_to="none", use_cpu=True,
                  bf16=False, learning_rate=1e-2, save_strategy="no", seed=3,
                  gradient_checkpointing=True)
trainer = GRPOTrainer(model=GIVEN, reward_funcs=is_long, args=args,
                      train_dataset=Dataset.from_list(rows))
trainer.train()
SHOW
"""
SAVED = """\
model.save_pretrained("final")  #~bad
trainer.save_model("final")  #~good
now = AutoModelForCausalLM.from_pretrained("final").model.layers[0].self_attn.q_proj.weight
print("TRAINED", not before.equal(now))"""
FROZEN = """\
model.get_input_embeddings().requires_grad_(False)
model.enable_input_require_grads()  #~good"""
MOVED = "print('MOVED', not before.equal(model.model.layers[0].self_attn.q_proj.weight))"


def grpo(given: str, before: str, show: str) -> str:
    """A run of GRPO with a model, lines before it and lines after it."""
    return SCRIPT.replace("GIVEN", given).replace("BEFORE", before).replace("SHOW", show)


SCRIPTS = (
    TwoForms("the model that GRPO did not train is saved", "current", "saved-model-is-untrained",
             grpo("'models/healthy'", "", SAVED), "TRAINED False", "TRAINED True", "warning",
             "weights from before the training"),
    TwoForms("a frozen embedding in GRPO", "four", "step-gradients-missing",
             grpo("model", FROZEN, MOVED), "MOVED False", "MOVED True", "warning",
             "these layers are not trained"),
)  # fmt: skip
