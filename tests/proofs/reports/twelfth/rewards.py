"""Threads that searches drawn by a seed found: models of rewards, and a loss that stays."""

from reports.report import CHOICES, PREFERENCES, Report, changed

STACK = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model_name = "reward"
tokenizer = AutoTokenizer.from_pretrained(model_name)
model = AutoModelForSequenceClassification.from_pretrained(model_name, num_labels=1)
train_dataset = load_dataset("json", data_files="answers.jsonl", split="train")
original_columns = train_dataset.column_names


def preprocess_function(examples):
    new_examples = {
        "input_ids_j": [],
        "attention_mask_j": [],
        "input_ids_k": [],
        "attention_mask_k": [],
    }
    for better, worse in zip(examples["chosen"], examples["rejected"]):
        tokenized_j = tokenizer(better, truncation=True)
        tokenized_k = tokenizer(worse, truncation=True)
        new_examples["input_ids_j"].append(tokenized_j["input_ids"])
        new_examples["attention_mask_j"].append(tokenized_j["attention_mask"])
        new_examples["input_ids_k"].append(tokenized_k["input_ids"])
        new_examples["attention_mask_k"].append(tokenized_k["attention_mask"])
    return new_examples


train_dataset = train_dataset.map(
    preprocess_function, batched=True, remove_columns=original_columns
)
training_args = RewardConfig(
    output_dir="reward-stack",
    per_device_train_batch_size=2,
    learning_rate=2e-5,
    max_steps=1,
    max_length=128,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = RewardTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
DOCUMENTED = """\
from datasets import load_dataset
from peft import LoraConfig, task_type
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
tokenizer = AutoTokenizer.from_pretrained("reward")
peft_config = LoraConfig(
    task_type=task_type.SEQ_CLS,
    inference_mode=False,
    r=8,
    lora_alpha=32,
    lora_dropout=0.1,
)
trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="reward-lora",
        per_device_train_batch_size=2,
        learning_rate=1e-4,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    peft_config=peft_config,
)
trainer.train()
"""
STUCK = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    beta: float = field(default=0.0, metadata={"help": "the beta of the DPO loss"})
    model_name_or_path: str = field(default="model")
    data_file: str = field(default="rows.jsonl")
    learning_rate: float = field(default=1e-4)
    steps: int = field(default=4)


script_args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses()[0]
model = AutoModelForCausalLM.from_pretrained(script_args.model_name_or_path)
tokenizer = AutoTokenizer.from_pretrained(script_args.model_name_or_path)
training_args = DPOConfig(
    output_dir="codellama-dpo",
    beta=script_args.beta,
    learning_rate=script_args.learning_rate,
    lr_scheduler_type="constant",
    per_device_train_batch_size=2,
    max_steps=script_args.steps,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
dpo_trainer = DPOTrainer(
    model,
    ref_model=None,
    args=training_args,
    train_dataset=load_dataset("json", data_files=script_args.data_file, split="train"),
    processing_class=tokenizer,
)
dpo_trainer.train()
last = [log for log in dpo_trainer.state.log_history if "loss" in log][-1]
print("margin after the last step is zero:", float(last["rewards/margins"]) == 0)
"""
REPORTS = (
    Report(
        "huggingface/trl#1007",
        "current",
        "KeyError|IndexError",
        "input_ids_j|chosen",
        {"train.py": STACK, "answers.jsonl": CHOICES},
        changed(
            STACK,
            (
                STACK[STACK.index("original_columns =") : STACK.index("training_args =")],
                "",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1091",
        "current",
        "cannot import name 'task_type'",
        "task_type",
        {"train.py": DOCUMENTED, "pairs.jsonl": CHOICES},
        changed(
            DOCUMENTED,
            ("import LoraConfig, task_type", "import LoraConfig, TaskType"),
            ("task_type.SEQ_CLS", "TaskType.SEQ_CLS"),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1627",
        "current",
        "margin after the last step is zero: True",
        "\\bbeta\\b",
        {"train.py": STUCK, "rows.jsonl": PREFERENCES},
        changed(STUCK, ("default=0.0", "default=0.1")),
    ),
)
