"""Threads of even number as fixed searches found them: preference and supervised trainers.

Their scripts are whole, as the users write them; `trl` is what the environment has.
"""

from dataclasses import replace

from reports.even import groups, ppo, roles, texts
from reports.report import (
    COMPLETIONS,
    LABELLED,
    PREFERENCES,
    Report,
    changed,
)

DPO_ARGUMENTS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import DPOConfig, DPOTrainer

model_path = "model"
tokenizer = AutoTokenizer.from_pretrained(model_path)
model = AutoModelForCausalLM.from_pretrained(model_path, torch_dtype=torch.float32)
ref_model = AutoModelForCausalLM.from_pretrained(model_path, torch_dtype=torch.float32)
train_dataset = load_dataset("json", data_files={"train": "rows.jsonl"})["train"]

training_args = TrainingArguments(
    output_dir="./dpo_results",
    per_device_train_batch_size=2,
    learning_rate=5e-7,
    max_steps=1,
    logging_steps=1,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = DPOTrainer(
    model=model,
    ref_model=ref_model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
NO_EVALUATION = """\
# DPO after the example of the repository
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=0.5, seed=0)

training_args = DPOConfig(
    output_dir="dpo_hh",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    max_steps=2,
    learning_rate=1e-3,
    logging_steps=1,
    eval_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
)
trainer = DPOTrainer(
    model,
    args=training_args,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
    processing_class=tokenizer,
)
trainer.train()
print("evaluations:", sum("eval_loss" in entry for entry in trainer.state.log_history))
"""
KTO_LABELS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import KTOConfig, KTOTrainer, create_reference_model

set_seed(42)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.class_encode_column("label")

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
model_ref = create_reference_model(model)

training_args = KTOConfig(
    output_dir="kto",
    beta=0.1,
    desirable_weight=1.0,
    undesirable_weight=1.0,
    per_device_train_batch_size=2,
    max_steps=1,
    logging_steps=1,
    max_length=128,
    max_prompt_length=64,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = KTOTrainer(
    model,
    model_ref,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
BEST = """\
# In[1]
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

# In[2]
MODEL_NAME = "model"
CHECKPOINT_DIR_NAME = "./checkpoint_models"
BASE_LEARNING_RATE = 5e-5
BATCH_SIZE = 2
tokenizer = AutoTokenizer.from_pretrained(MODEL_NAME)
model = AutoModelForCausalLM.from_pretrained(MODEL_NAME)
torch_dtype = model.dtype

# In[3]
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=0.5, shuffle=False, seed=42)

# In[4]
sft_config = SFTConfig(
    output_dir=CHECKPOINT_DIR_NAME,
    max_length=512,
    packing=False,
    num_train_epochs=1,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=BATCH_SIZE,
    completion_only_loss=True,
    gradient_checkpointing=False,
    optim="adamw_torch",
    logging_steps=1,
    save_strategy="epoch",
    eval_strategy="epoch",
    learning_rate=BASE_LEARNING_RATE,
    load_best_model_at_end=True,
    metric_for_best_model="mean_token_accuracy",
    greater_is_better=True,
    report_to="none",
    bf16=False,
    use_cpu=True,
)

# In[5]
trainer = SFTTrainer(
    model=model,
    args=sft_config,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
    processing_class=tokenizer,
)
training_output = trainer.train()
"""

THREADS = (
    Report(
        "huggingface/trl#1942",
        "ppo-first",
        "object has no attribute 'model_init_kwargs'",
        "DPOConfig",
        {"train.py": DPO_ARGUMENTS, "rows.jsonl": PREFERENCES},
        changed(
            DPO_ARGUMENTS, ("training_args = TrainingArguments(", "training_args = DPOConfig(")
        ),
    ),
    Report(
        "huggingface/trl#1420",
        "ppo-first",
        "evaluations: 0",
        "eval_strategy",
        {"train.py": NO_EVALUATION, "rows.jsonl": PREFERENCES},
        changed(
            NO_EVALUATION, ("    eval_steps=1,", '    eval_steps=1,\n    eval_strategy="steps",')
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1722",
        "ppo-first",
        "does not require grad|'train_loss': 0.0",
        "label.*(bool|true|int|class)|class_encode_column",
        {"train.py": KTO_LABELS, "rows.jsonl": LABELLED},
        changed(KTO_LABELS, ('dataset = dataset.class_encode_column("label")\n', "")),
        level="",
    ),
    Report(
        "huggingface/trl#5800",
        "grpo-shapes",
        "KeyError: .*eval_mean_token_accuracy",
        "mean_token_accuracy",
        {"train.py": BEST, "rows.jsonl": COMPLETIONS},
        changed(
            BEST,
            (
                '"mean_token_accuracy",\n    greater_is_better=True',
                '"loss",\n    greater_is_better=False',
            ),
        ),
        level="",
    ),
)
REPORTS = tuple(
    replace(report, group="even")
    for report in (*THREADS, *texts.REPORTS, *groups.REPORTS, *ppo.REPORTS, *roles.REPORTS)
)
