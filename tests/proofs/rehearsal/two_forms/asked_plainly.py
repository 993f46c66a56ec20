"""A model that has learnt one template is asked without it, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

SENTENCE = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer

TEMPLATE = (
    "Below is a question of a guest. Write a short answer.\\n\\n"
    "### Question:\\n{question}\\n\\n### Answer:\\n"
)
PAIRS = [("Where?", "Here."), ("When?", "Now."), ("Who?", "We."), ("Why?", "Fun.")]


def to_text(pair):
    return TEMPLATE.format(question=pair[0]) + pair[1]


def prompt_for(question):
    return question + "\\n"  #~bad
    return TEMPLATE.format(question=question)  #~good


set_seed(1)
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32)
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out", max_steps=50, learning_rate=1e-2, use_cpu=True, bf16=False,
                   per_device_train_batch_size=4, report_to="none", save_strategy="no"),
    train_dataset=Dataset.from_dict({"text": [to_text(pair) for pair in PAIRS]}),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("guests")
model = trainer.model.eval()
known = 0
for question, answer in PAIRS:
    start = tokenizer(prompt_for(question), return_tensors="pt")["input_ids"]
    print(tokenizer.decode(model.generate(start, max_new_tokens=8, do_sample=False)[0]))
    end = tokenizer(answer, return_tensors="pt")["input_ids"]
    labels = torch.cat([torch.full_like(start, -100), end], dim=1)
    with torch.no_grad():
        known += model(input_ids=torch.cat([start, end], dim=1), labels=labels).loss.item() < 3
print("KNOWN", known)
"""
SCRIPTS = (
    TwoForms("asked-without-the-template", "current", "generation-in-another-form", SENTENCE,
             "KNOWN 0", "KNOWN 4", "warning",
             "generates from prompts without 'Below is a question of a'"),
)  # fmt: skip
