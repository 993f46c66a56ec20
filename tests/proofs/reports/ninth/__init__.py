"""Threads of other repositories that plain searches gave: what trainer and config are given."""

from dataclasses import replace

from reports.ninth import gone, groups, projects, subclasses, texts
from reports.report import CHATS, TEXT, Report, changed

WORKBENCH = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import SFTTrainer

base_model_id = "model"
new_model = "llama3-8b-SFT"

dataset = load_dataset("json", data_files="rows.jsonl", split="train")

model = AutoModelForCausalLM.from_pretrained(base_model_id)
tokenizer = AutoTokenizer.from_pretrained(base_model_id)
tokenizer.pad_token = tokenizer.eos_token

output_dir = "./results"
num_train_epochs = 1
per_device_train_batch_size = 1
gradient_accumulation_steps = 2
max_grad_norm = 0.3
learning_rate = 2e-4
weight_decay = 0.001
max_steps = 1
save_steps = 100
logging_steps = 5

training_arguments = TrainingArguments(
    output_dir=output_dir,
    num_train_epochs=num_train_epochs,
    per_device_train_batch_size=per_device_train_batch_size,
    gradient_accumulation_steps=gradient_accumulation_steps,
    optim="adamw_torch",
    save_steps=save_steps,
    logging_steps=logging_steps,
    learning_rate=learning_rate,
    weight_decay=weight_decay,
    max_grad_norm=max_grad_norm,
    max_steps=max_steps,
    report_to="none",
    use_cpu=True,
)

trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    dataset_text_field="text",
    processing_class=tokenizer,
    args=training_arguments,
)
trainer.train()
trainer.model.save_pretrained(new_model)
"""
CHAPTER = """\
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name)
tokenizer = AutoTokenizer.from_pretrained(model_name)
dataset = load_dataset("json", data_files={"train": "rows.jsonl"})

# r: rank of the update matrices, lora_alpha: how much they weigh
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
args = SFTConfig(
    output_dir="lora_adapter",
    max_steps=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=2,
    learning_rate=2e-4,
    max_grad_norm=0.3,
    lr_scheduler_type="constant",
    logging_steps=10,
    save_strategy="no",
    push_to_hub=False,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
max_seq_length = 1512  # longest sequence of model and packing

# Create SFTTrainer with LoRA configuration
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=dataset["train"],
    peft_config=peft_config,
    max_seq_length=max_seq_length,
    processing_class=tokenizer,
)
trainer.train()
"""
THREADS = (
    Report(
        "NVIDIA/workbench-example-llama3-finetune#1",
        "current",
        "unexpected keyword argument 'dataset_text_field'",
        "dataset_text_field",
        {"train.py": WORKBENCH, "rows.jsonl": TEXT},
        changed(WORKBENCH, ('    dataset_text_field="text",\n', "")),
    ),
    Report(
        "huggingface/course#1171",
        "current",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": CHAPTER, "rows.jsonl": CHATS},
        changed(CHAPTER, ("    max_seq_length=max_seq_length,\n", "")),
    ),
)
REPORTS = tuple(
    replace(report, group="ninth")
    for report in (
        *THREADS,
        *groups.REPORTS,
        *texts.REPORTS,
        *gone.REPORTS,
        *projects.REPORTS,
        *subclasses.REPORTS,
    )
)
