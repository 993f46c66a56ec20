"""Threads of a forty-third list: arguments that are given to what does not take them."""

from reports.report import CHATS, PREFERENCES, Report, changed

SPARTA = '''\
"""DPO of the models of a pool, each in a process of its own."""

import os
from multiprocessing import Pool

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

JOBS = [("model", "pairs.jsonl", "pool/model_0")]


def train_single(model_path, data_path, save_path):
    """Train one model of the pool on the battles that it took part in."""
    os.makedirs(save_path, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(model_path)
    model = AutoModelForCausalLM.from_pretrained(model_path)
    config = DPOConfig(
        output_dir=save_path,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        learning_rate=5e-6,
        beta=0.1,
        max_length=64,
        max_steps=1,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    pairs = load_dataset("json", data_files=data_path, split="train")
    trainer = DPOTrainer(
        model=model,
        args=config,
        train_dataset=pairs,
        tokenizer=tokenizer,
    )
    trainer.train()
    trainer.save_model(save_path)
    return save_path


def distributed_dpo(jobs):
    with Pool(processes=1) as pool:
        return pool.starmap(train_single, jobs)


if __name__ == "__main__":
    print("saved:", distributed_dpo(JOBS))
'''
LOSS = '''\
"""DPO with the loss of IPO, on binarised preferences."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

MODEL = "model"

tokenizer = AutoTokenizer.from_pretrained(MODEL)
model = AutoModelForCausalLM.from_pretrained(MODEL)
model_ref = AutoModelForCausalLM.from_pretrained(MODEL)

raw_datasets = load_dataset("json", data_files="pairs.jsonl", split="train")
raw_datasets = raw_datasets.train_test_split(test_size=1, seed=0)

training_args = DPOConfig(
    output_dir="zephyr-ipo",
    per_device_train_batch_size=1,
    per_device_eval_batch_size=1,
    gradient_accumulation_steps=2,
    learning_rate=5e-7,
    lr_scheduler_type="linear",
    warmup_steps=1,
    max_length=64,
    max_steps=1,
    eval_strategy="no",
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)

dpo_trainer = DPOTrainer(
    model,
    model_ref,
    args=training_args,
    loss_type="ipo",
    beta=0.4,
    train_dataset=raw_datasets["train"],
    eval_dataset=raw_datasets["test"],
    processing_class=tokenizer,
)
dpo_trainer.train()
'''
LOADED = '''\
"""Exercise: fine-tuning of a small model with LoRA."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"
dataset = load_dataset("json", data_files="smoltalk.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained(model_name)

# r: rank of the update matrices, the smaller the more compressed
rank_dimension = 6
lora_alpha = 8
lora_dropout = 0.05

peft_config = LoraConfig(
    r=rank_dimension,
    lora_alpha=lora_alpha,
    lora_dropout=lora_dropout,
    bias="none",
    target_modules="all-linear",
    task_type="CAUSAL_LM",
)

model = AutoModelForCausalLM.from_pretrained(model_name, peft_config=peft_config)

args = SFTConfig(
    output_dir="smol-lora",
    max_steps=2,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    logging_steps=1,
    max_length=128,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)

trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("smol-lora")
'''
REPORTS = (
    Report(
        "BunsenFeng/model_collaboration#76",
        "current",
        "unexpected keyword argument 'tokenizer'",
        r"processing_class|argument '?`?tokenizer",
        {"train.py": SPARTA, "pairs.jsonl": PREFERENCES},
        changed(SPARTA, (" tokenizer=tokenizer,\n", " processing_class=tokenizer,\n")),
    ),
    Report(
        "huggingface/trl#1281",
        "current",
        "unexpected keyword argument 'loss_type'",
        r"loss_type",
        {"train.py": LOSS, "pairs.jsonl": PREFERENCES},
        changed(
            LOSS,
            ('    loss_type="ipo",\n    beta=0.4,\n', ""),
            ("    max_length=64,\n", '    max_length=64,\n    loss_type="ipo",\n    beta=0.4,\n'),
        ),
    ),
    Report(
        "huggingface/smol-course#236",
        "current",
        "unexpected keyword argument 'peft_config'",
        r"peft_config",
        {"train.py": LOADED, "smoltalk.jsonl": CHATS},
        changed(
            LOADED,
            ("(model_name, peft_config=peft_config)", "(model_name)"),
            ("    train_dataset=dataset,\n",
             "    train_dataset=dataset,\n    peft_config=peft_config,\n"),
        ),
    ),
)  # fmt: skip
