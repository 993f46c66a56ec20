"""Threads that plain searches gave: what a script imports."""

from reports.report import CHATS, Report, changed

SFT = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 save_strategy="no", use_cpu=True, bf16=False)
SFTTrainer(model, args=args, train_dataset=rows, processing_class=tokenizer).train()
"""
LOGPROBS = """\
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.core import logprobs_from_logits
from trl import SFTConfig, SFTTrainer
from datasets import load_dataset

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
rows = load_dataset("json", data_files="rows.jsonl", split="train")


def batch_logprobs(texts):
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = model(**batch).logits
    return logprobs_from_logits(logits[:, :-1], batch["input_ids"][:, 1:])


args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 save_strategy="no", use_cpu=True, bf16=False)
SFTTrainer(model, args=args, train_dataset=rows, processing_class=tokenizer).train()
print(batch_logprobs(["Count to five."]).shape)
"""
OWN = (
    "from trl.core import logprobs_from_logits\n",
    "\n\ndef logprobs_from_logits(logits, labels):\n"
    "    picked = labels.unsqueeze(-1)\n"
    "    return logits.log_softmax(-1).gather(-1, picked).squeeze(-1)\n\n\n",
)
COLLATED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
rows = load_dataset("json", data_files="rows.jsonl", split="train")
collator = DataCollatorForCompletionOnlyLM("<|im_start|>assistant\\n", tokenizer=tokenizer)
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
                 save_strategy="no", use_cpu=True, bf16=False)
SFTTrainer(model, args=args, train_dataset=rows, data_collator=collator).train()
"""
REPORTS = (
    Report(
        "huggingface/trl#3203",
        "current",
        "logprobs_from_logits|No module named 'trl.core'",
        "logprobs_from_logits|trl.core",
        {"train.py": LOGPROBS, "rows.jsonl": CHATS},
        changed(LOGPROBS, OWN),
    ),
    Report(
        "generative-computing/mellea#196",
        "current",
        "cannot import name 'DataCollatorForCompletionOnlyLM'",
        "DataCollatorForCompletionOnlyLM",
        {"train.py": COLLATED, "rows.jsonl": CHATS},
        changed(
            COLLATED,
            ("DataCollatorForCompletionOnlyLM, ", ""),
            (
                'collator = DataCollatorForCompletionOnlyLM("<|im_start|>assistant\\n", '
                "tokenizer=tokenizer)\n",
                "",
            ),
            (", data_collator=collator", ""),
        ),
    ),
)
