"""Threads that searches for errors found: trainers with several models, and a course."""

from reports.report import CHATS, LABELLED, PROMPTS, Report, changed

NO_VALUES = """\
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
)
from trl import PPOConfig, PPOTrainer, create_reference_model

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained(
    "model",
    # device_map="auto",
    torch_dtype=torch.float32,
)
tokenizer.pad_token = tokenizer.eos_token
ref_model = create_reference_model(model)
rm_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="rows.jsonl")


def create_dataset(row):
    inputs = tokenizer(row["prompt"], truncation=True, max_length=64)
    return {"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}


data = dataset["train"].map(create_dataset, remove_columns=["prompt"])
ppo_config = PPOConfig(
    output_dir="./ppo_gemma",
    learning_rate=1.41e-5,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    total_episodes=4,
    response_length=8,
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
ppo_trainer = PPOTrainer(
    config=ppo_config,
    policy=model,
    ref_policy=ref_model,
    processing_class=tokenizer,
    reward_model=rm_model,
    train_dataset=data,
    eval_dataset=data,
    data_collator=DataCollatorWithPadding(tokenizer),
)
ppo_trainer.train()
"""
EVALUATED = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import OnlineDPOConfig, OnlineDPOTrainer

# Load model to be trained
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")

# Load reward model
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
reward_tokenizer = AutoTokenizer.from_pretrained("reward")

# Load dataset
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=0.5, seed=0)

training_args = OnlineDPOConfig(
    output_dir="Qwen2-0.5B-OnlineDPO",
    logging_steps=1,
    max_new_tokens=8,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    eval_strategy="steps",
    eval_steps=1,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = OnlineDPOTrainer(
    model=model,
    reward_model=reward_model,
    args=training_args,
    processing_class=tokenizer,
    reward_processing_class=reward_tokenizer,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
)
trainer.train()
"""
COURSE = """\
# Import necessary libraries
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, clone_chat_template
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
model_name = "model"
model = AutoModelForCausalLM.from_pretrained(
    pretrained_model_name_or_path=model_name
).to(device)
tokenizer = AutoTokenizer.from_pretrained(pretrained_model_name_or_path=model_name)

finetune_name = "SmolLM2-FT-MyDataset"
finetune_tags = ["smol-course", "module_1"]
ds = load_dataset("json", data_files={"train": "rows.jsonl", "test": "rows.jsonl"})

# Configure the SFTTrainer
sft_config = SFTConfig(
    output_dir="./sft_output",
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=5e-5,
    logging_steps=10,
    save_strategy="no",
    eval_strategy="steps",
    eval_steps=50,
    use_cpu=device == "cpu",
    bf16=False,
    report_to="none",
    hub_model_id=finetune_name,
)

# Initialize the SFTTrainer
trainer = SFTTrainer(
    model=model,
    args=sft_config,
    train_dataset=ds["train"],
    tokenizer=tokenizer,
    eval_dataset=ds["test"],
)

# Train the model
trainer.train()
trainer.save_model(f"./{finetune_name}")
"""
ONE_A_STEP = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")

training_args = KTOConfig(
    output_dir="kto-aligned",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=4,
    learning_rate=5e-7,
    beta=0.1,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = KTOTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#2357",
        "ppo-first",
        "'NoneType' object has no attribute 'modules'",
        "value_model|value model",
        {"train.py": NO_VALUES, "rows.jsonl": PROMPTS},
        changed(
            NO_VALUES,
            ("rm_model = ", "value_model = rm_model = "),
            ("tokenizer.pad_token = tokenizer.eos_token", 'tokenizer.pad_token = "<|fim_pad|>"'),
            ("response_length=8,", 'response_length=8,\n    stop_token="eos",'),
            ("    train_dataset=data,", "    value_model=value_model,\n    train_dataset=data,"),
        ),
    ),
    Report(
        "huggingface/trl#2464",
        "ppo-first",
        "exactly one of input_ids or inputs_embeds|unexpected keyword argument 'prompt'",
        "eval_strategy|eval_steps|evaluat",
        {"train.py": EVALUATED, "rows.jsonl": PROMPTS},
        changed(EVALUATED, ('    eval_strategy="steps",\n    eval_steps=1,\n', "")),
        level="",
    ),
    Report(
        "huggingface/smol-course#218",
        "current",
        "unexpected keyword argument 'tokenizer'",
        "processing_class|tokenizer\\b.{0,80}(argument|no longer|keyword|parameter)",
        {"train.py": COURSE, "rows.jsonl": CHATS},
        changed(COURSE, ("    tokenizer=tokenizer,", "    processing_class=tokenizer,")),
    ),
    Report(
        "huggingface/trl#2554",
        "current",
        "batch size must be > 1",
        "per_device_train_batch_size|batch size.{0,40}> ?1",
        {"train.py": ONE_A_STEP, "rows.jsonl": LABELLED},
        changed(
            ONE_A_STEP,
            ("batch_size=1", "batch_size=2"),
            ("accumulation_steps=4", "accumulation_steps=2"),
        ),
    ),
)
