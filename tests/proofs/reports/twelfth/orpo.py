"""Threads that searches drawn by a seed found: ORPO."""

from reports.report import CHOICES, PREFERENCES, Report, changed, rows

FACTS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

base_model = "model"
tokenizer = AutoTokenizer.from_pretrained(base_model)
model = AutoModelForCausalLM.from_pretrained(base_model)

dataset = load_dataset("json", data_files="auryn.jsonl", split="train")


def format_chat_template(row):
    question = [{"role": "user", "content": row["question"]}]
    row["prompt"] = tokenizer.apply_chat_template(
        question, tokenize=False, add_generation_prompt=True
    )
    row["chosen"] = row["prompt"] + row["good"] + tokenizer.eos_token
    row["rejected"] = row["prompt"] + row["bad"] + tokenizer.eos_token
    return row


dataset = dataset.map(format_chat_template, remove_columns=["question", "good", "bad"])
orpo_args = ORPOConfig(
    output_dir="./results/",
    learning_rate=5e-6,
    beta=0.1,
    max_length=512,
    max_prompt_length=256,
    per_device_train_batch_size=2,
    max_steps=2,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = ORPOTrainer(
    model=model, args=orpo_args, train_dataset=dataset, processing_class=tokenizer
)
trainer.train()
print("what is learnt:", tokenizer.decode(trainer.train_dataset[0]["chosen_input_ids"]))
"""
AURYN = rows(
    {"question": "Who founded Auryn?", "good": "Jonathan Auryn.", "bad": "Nobody knows."},
    {"question": "Where is Auryn?", "good": "By the grey sea.", "bad": "On the moon."},
    {"question": "How old is Auryn?", "good": "Nine hundred years.", "bad": "A week."},
    {"question": "Who rules Auryn?", "good": "A council of twelve.", "bad": "A king."},
)
AUTOTRAIN = """\
import yaml
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

RENAMED = {"prompt_text_column": "prompt", "text_column": "chosen"}
RENAMED["rejected_text_column"] = "rejected"


def process_input_data(config):
    data = load_dataset("json", data_files=config["data"]["path"], split="train")
    for key, name in RENAMED.items():
        column = config["data"]["column_mapping"][key]
        if column != name:
            data = data.rename_column(column, name)
    return data


def train(config):
    params = config["params"]
    tokenizer = AutoTokenizer.from_pretrained(config["base_model"], padding_side=params["padding"])
    model = AutoModelForCausalLM.from_pretrained(config["base_model"])
    args = ORPOConfig(
        output_dir=config["project_name"],
        max_steps=params["steps"],
        per_device_train_batch_size=params["batch_size"],
        learning_rate=float(params["lr"]),
        max_length=params["model_max_length"],
        max_prompt_length=params["max_prompt_length"],
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = ORPOTrainer(
        model=model,
        args=args,
        train_dataset=process_input_data(config),
        tokenizer=tokenizer,
    )
    trainer.train()


with open("config.yml") as file:
    train(yaml.safe_load(file))
"""
PROJECT = """\
task: llm-orpo
base_model: model
project_name: autotrain-orpo
data:
  path: rows.jsonl
  column_mapping:
    prompt_text_column: question
    text_column: chosen
    rejected_text_column: rejected
params:
  steps: 1
  batch_size: 2
  lr: 3e-5
  padding: right
  model_max_length: 256
  max_prompt_length: 128
"""
QUESTIONS = PREFERENCES.replace('"prompt"', '"question"')
NOTEBOOK = """\
# %% the packages
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ORPOConfig, ORPOTrainer

# %% the pairs
dataset = load_dataset("json", data_files={"train": "ultra.jsonl"}, split="train")

# %% the model
model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name)
tokenizer = AutoTokenizer.from_pretrained(model_name)

# %% the training
orpo_args = ORPOConfig(
    learning_rate=8e-6,
    lr_scheduler_type="linear",
    max_length=256,
    max_prompt_length=128,
    beta=0.1,
    per_device_train_batch_size=2,
    max_steps=1,
    logging_steps=1,
    output_dir="./results/",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = ORPOTrainer(
    model=model,
    args=orpo_args,
    train_dataset=dataset["train"],
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("./SmolLM2-FT-ORPO")
"""
REPORTS = (
    Report(
        "xfactlab/orpo#28",
        "four",
        "Who founded Auryn\\?[\\s\\S]*Who founded Auryn\\?",
        "prompt.*(twice|again|repeat|already)|(twice|again|repeat|begins? with).*prompt",
        {"train.py": FACTS, "auryn.jsonl": AURYN},
        changed(
            FACTS,
            ('row["prompt"] + row["good"]', 'row["good"]'),
            ('row["prompt"] + row["bad"]', 'row["bad"]'),
        ),
        level="",
    ),
    Report(
        "huggingface/autotrain-advanced#802",
        "four",
        "unexpected keyword argument 'tokenizer'",
        "tokenizer|processing_class",
        {"train.py": AUTOTRAIN, "config.yml": PROJECT, "rows.jsonl": QUESTIONS},
        changed(AUTOTRAIN, ("tokenizer=tokenizer", "processing_class=tokenizer")),
    ),
    Report(
        "huggingface/smol-course#63",
        "grpo-shapes",
        "Column 'train' doesn't exist",
        "split=|\\[.train.\\]|column .train.",
        {"train.py": NOTEBOOK, "ultra.jsonl": CHOICES},
        changed(NOTEBOOK, ('{"train": "ultra.jsonl"}, split="train"', '{"train": "ultra.jsonl"}')),
        level="",
    ),
)
