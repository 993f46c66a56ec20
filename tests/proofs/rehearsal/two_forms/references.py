"""Scripts whose reference model is another one than they mean, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

TUNED = """\
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def base():
    return AutoModelForCausalLM.from_pretrained("models/healthy").float()


torch.manual_seed(0)
lora = LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
tuned = get_peft_model(base(), lora)
for name, weights in tuned.named_parameters():
    if "lora_B" in name:  # as if it had been trained
        torch.nn.init.normal_(weights)
tuned.save_pretrained("tuned")

model = PeftModel.from_pretrained(base(), "tuned", is_trainable=True)
model = model.merge_and_unload()  #~good
pairs = [{"prompt": f"User: {n}?", "chosen": f" It is {n}.", "rejected": " Nobody knows."}
         for n in range(8)]
trainer = DPOTrainer(
    model,
    args=DPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, logging_steps=1,
                   report_to="none", save_strategy="no", use_cpu=True, bf16=False),
    train_dataset=Dataset.from_list(pairs),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
    peft_config=lora,  #~good
)
trainer.train()
trainer.save_model("dpo")
(loss, *_) = (log["loss"] for log in trainer.state.log_history if "loss" in log)
print("BEGINS AT THE REFERENCE", abs(loss - 0.6931) < 1e-3)
"""

BASE = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tuned = AutoModelForCausalLM.from_pretrained("models/healthy").float()
torch.manual_seed(0)
with torch.no_grad():
    for weights in tuned.parameters():  # as if it had been trained
        weights += 0.1 * torch.randn_like(weights)
tuned.save_pretrained("tuned")

model = AutoModelForCausalLM.from_pretrained("tuned", dtype=torch.float32)
base = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
pairs = [{"prompt": f"User: {n}?", "chosen": f" It is {n}.", "rejected": " Nobody knows."}
         for n in range(8)]
trainer = DPOTrainer(
    model,
    ref_model=base,  #~bad
    args=DPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, logging_steps=1,
                   report_to="none", save_strategy="no", use_cpu=True, bf16=False),
    train_dataset=Dataset.from_list(pairs),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("dpo")
(loss, *_) = (log["loss"] for log in trainer.state.log_history if "loss" in log)
print("BEGINS AT THE REFERENCE", abs(loss - 0.6931) < 1e-3)
"""


COPY = (
    BASE.replace(
        'AutoModelForCausalLM.from_pretrained("models/healthy", dtype',
        """\
AutoModelForCausalLM.from_pretrained("start", dtype""",
    )
    .replace(
        "base =",
        """\
AutoModelForCausalLM.from_pretrained("models/healthy").save_pretrained("start")  #~bad
model.save_pretrained("start")  #~good
base =""",
    )
    .replace("ref_model=base,  #~bad", "ref_model=base,")
)


def other_weights(environment: str) -> TwoForms:
    """A policy and its base as the reference, in an environment."""
    return TwoForms(
        f"the reference is the base ({environment})", environment, "reference-of-other-weights",
        BASE, "BEGINS AT THE REFERENCE False", "BEGINS AT THE REFERENCE True", severity="warning",
        says="the policy begins with the weights of tuned, but its reference has those of",
    )  # fmt: skip


TAUGHT = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.experimental.gkd import GKDConfig, GKDTrainer

torch.manual_seed(0)
trained = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
with torch.no_grad():
    for weights in trained.parameters():  # as if it had been trained
        weights += 0.1 * torch.randn_like(weights)
trained.save_pretrained("trained")

talk = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, two."}]
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
teacher = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")  #~bad
teacher = AutoModelForCausalLM.from_pretrained("trained", dtype="float32")  #~good
trainer = GKDTrainer(
    model=model,
    teacher_model=teacher,
    args=GKDConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, logging_steps=1,
                   report_to="none", save_strategy="no", use_cpu=True, bf16=False, lmbda=0.0),
    train_dataset=Dataset.from_dict({"messages": [talk] * 8}),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
trainer.save_model("student")
(loss, *_) = (log["loss"] for log in trainer.state.log_history if "loss" in log)
print("LEARNS", float(loss) > 1e-6)
"""


def taught(environment: str, script: str) -> TwoForms:
    """A student and its teacher, in an environment."""
    return TwoForms(
        f"the student is its own teacher ({environment})", environment, "teacher-is-student",
        script, "LEARNS False", "LEARNS True",
        says="teacher and student are both loaded from models/healthy",
    )  # fmt: skip


SCRIPTS = (
    other_weights("current"),
    other_weights("four"),
    TwoForms("the reference is a copy", "current", "reference-of-other-weights", COPY,
             "BEGINS AT THE REFERENCE False", "BEGINS AT THE REFERENCE True", severity="warning",
             says="the policy begins with the weights of tuned, but its reference has those of"),
    TwoForms("a loaded adapter is turned off", "grpo-shapes", "reference-lacks-adapter", TUNED,
             "BEGINS AT THE REFERENCE False", "BEGINS AT THE REFERENCE True", severity="warning",
             says="is the base model without the loaded adapter"),
    taught("current", TAUGHT),
    taught("four", TAUGHT.replace("trl.experimental.gkd", "trl")),
)  # fmt: skip
