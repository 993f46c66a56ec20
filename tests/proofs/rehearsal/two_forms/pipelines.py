"""Scripts of two stages, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

ON_ANOTHER_BASE = """\
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

BASE = "models/healthy"
tokenizer = AutoTokenizer.from_pretrained(BASE)
common = {"max_steps": 4, "per_device_train_batch_size": 2, "use_cpu": True, "bf16": False,
          "report_to": "none", "learning_rate": 1e-2, "save_strategy": "no"}
talks = [[{"role": "user", "content": f"Count to {n}."}, {"role": "assistant", "content": "One."}]
         for n in range(12)]
first = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(BASE), processing_class=tokenizer,
    args=SFTConfig("out/a", **common), train_dataset=Dataset.from_dict({"messages": talks}),
)
first.train()
first.save_model("out/sft")
tokenizer.save_pretrained("out/sft")
pairs = Dataset.from_list([
    {"prompt": talk[:1], "chosen": talk[1:], "rejected": [{"role": "assistant", "content": "No."}]}
    for talk in talks
])
second = DPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("out/sft"), processing_class=tokenizer,
    args=DPOConfig("out/b", **common), train_dataset=pairs,
    peft_config=LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
)
second.train()
second.save_model("out/dpo")
base = AutoModelForCausalLM.from_pretrained(BASE)  #~bad
base = AutoModelForCausalLM.from_pretrained("out/sft")  #~good
merged = PeftModel.from_pretrained(base, "out/dpo").merge_and_unload()
merged.save_pretrained("final")
ids = tokenizer("Count to three.", return_tensors="pt")["input_ids"]
with torch.no_grad():
    one = second.model.eval()(input_ids=ids).logits
    two = merged.eval()(input_ids=ids).logits
print("SAME", bool((one.float() - two.float()).abs().max() < 1e-2))
"""
WITHOUT_THE_EARLIER = """\
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BASE = "models/healthy"
tokenizer = AutoTokenizer.from_pretrained(BASE)


def base():
    return AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32)


def with_first():
    return PeftModel.from_pretrained(base(), "out/first").merge_and_unload()


def stage(model, word, folder):
    trainer = SFTTrainer(
        model=model, processing_class=tokenizer,
        args=SFTConfig(folder, max_steps=6, per_device_train_batch_size=2, use_cpu=True,
                       bf16=False, report_to="none", learning_rate=1e-2, save_strategy="no"),
        train_dataset=Dataset.from_dict({"text": [f"{word} {n}." for n in range(12)]}),
        peft_config=LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM"),
    )
    trainer.train()
    trainer.save_model(folder)
    return trainer.model.eval()


stage(base(), "Count to", "out/first")
trained = stage(with_first(), "Stop at", "out/second")
model = PeftModel.from_pretrained(base(), "out/second")  #~bad
model = PeftModel.from_pretrained(with_first(), "out/second")  #~good
ids = tokenizer("Count to three.", return_tensors="pt")["input_ids"]
with torch.no_grad():
    one, two = (each.eval()(input_ids=ids).logits for each in (trained, model))
print("SAME", bool((one - two).abs().max() < 1e-2))
"""
SCRIPTS = (
    TwoForms(
        "adapter without the earlier one", "current", "adapter-on-another-base",
        WITHOUT_THE_EARLIER, "SAME False", "SAME True", severity="warning",
        says="the adapter second was trained on a model with other weights than its files have",
    ),
    TwoForms(
        "adapter on another base", "current", "adapter-on-another-base",
        ON_ANOTHER_BASE, "SAME False", "SAME True", severity="warning",
        says="the adapter dpo was trained on out/sft",
    ),
)  # fmt: skip
