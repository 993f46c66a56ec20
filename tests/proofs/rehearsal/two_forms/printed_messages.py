"""Messages that are written into a text as Python prints them."""

from __future__ import annotations

from two_forms.script import TwoForms

FORMATTED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

TALKS = [[{"role": "user", "content": f"What is {n} and one?"},
          {"role": "assistant", "content": f"It is {n + 1}."}] for n in range(8)]


def to_text(row):
    asks, answers = row["talk"]
    return f"Question: {asks}\\nAnswer: {answers['content']}"  #~bad
    return f"Question: {asks['content']}\\nAnswer: {answers['content']}"  #~good


trainer = SFTTrainer(
    "models/healthy", train_dataset=Dataset.from_dict({"talk": TALKS}), formatting_func=to_text,
    args=SFTConfig("out", max_steps=1, per_device_train_batch_size=2, use_cpu=True, bf16=False,
                   save_strategy="no", report_to="none"),
)
trainer.train()
text = trainer.processing_class.decode(trainer.train_dataset[0]["input_ids"])
print("ROLES", text.count("'role'"), text)
"""
PARTS = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.chat_template = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\\n"
    "{{ message['content'] }}<|im_end|>\\n{% endfor %}"
)


def turn(role, text):
    return {"role": role, "content": [{"type": "text", "text": text}]}  #~bad
    return {"role": role, "content": text}  #~good


rows = Dataset.from_dict({"messages": [
    [turn("user", f"What is {n} and one?"), turn("assistant", f"It is {n + 1}.")] for n in range(8)
]})
trainer = SFTTrainer(
    "models/healthy", processing_class=tokenizer, train_dataset=rows,
    args=SFTConfig("out", max_steps=1, per_device_train_batch_size=2, use_cpu=True, bf16=False,
                   save_strategy="no", report_to="none"),
)
trainer.train()
text = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("PARTS", text.count("'type'"), text)
"""
SCRIPTS = (
    TwoForms("a message printed into a text", "current", "data-message-printed", FORMATTED,
             "ROLES 1", "ROLES 0", severity="warning", says="8 of 8 rows have a message"),
    TwoForms("parts for a template of texts", "four", "data-message-printed", PARTS,
             "PARTS 2", "PARTS 0", severity="warning", says="8 of 8 rows have a message"),
)  # fmt: skip
