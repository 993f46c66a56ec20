import os
from datasets import load_dataset
from transformers import AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer
rows = load_dataset("json", data_files="text.jsonl", split="train")
config = dict(output_dir="out", use_cpu=True, bf16=False, report_to="none", save_strategy="steps",
              save_steps=2, per_device_train_batch_size=2)
last = get_last_checkpoint("out") if os.path.isdir("out") else None
SFTTrainer("model", SFTConfig(max_steps=2, **config), train_dataset=rows).train(
    resume_from_checkpoint=last)
last = get_last_checkpoint("out")
assert last, "no checkpoint"
again = SFTTrainer("model", SFTConfig(max_steps=4, **config), train_dataset=rows)
again.train(resume_from_checkpoint=last)
AutoTokenizer.from_pretrained(last)
third = SFTTrainer("model", SFTConfig(max_steps=6, **config), train_dataset=rows)
third.train(resume_from_checkpoint=True)
