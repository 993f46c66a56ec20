"""Threads that searches for symptoms found: models in roles, of PPO and of reward training."""

from reports.report import PREFERENCES, PROMPTS, Report, changed

TWO_LABELS = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    GenerationConfig,
)
from trl import PPOConfig, PPOTrainer, create_reference_model

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("model")
critic_model = AutoModelForSequenceClassification.from_pretrained("model")
ref_model = create_reference_model(model)
model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id)

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.filter(lambda row: len(row["prompt"]) > 5)


def tokenize(row):
    row["input_ids"] = tokenizer(row["prompt"])["input_ids"]
    return row


dataset = dataset.map(tokenize, remove_columns=["prompt"])
ppo_config = PPOConfig(
    output_dir="./output/",
    learning_rate=1e-5,
    per_device_train_batch_size=2,
    total_episodes=4,
    response_length=8,
    stop_token="eos",
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = PPOTrainer(
    config=ppo_config,
    processing_class=tokenizer,
    policy=model,
    ref_policy=ref_model,
    reward_model=reward_model,
    value_model=critic_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
"""
WRITES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import RewardConfig, RewardTrainer

model = AutoModelForCausalLM.from_pretrained("model", attn_implementation="eager")
tokenizer = AutoTokenizer.from_pretrained("model")

# an implicit preference dataset: the input is in both texts
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def prefix_with_input(example):
    example["chosen"] = example["prompt"] + " " + example["chosen"]
    example["rejected"] = example["prompt"] + " " + example["rejected"]
    return example


train_dataset = train_dataset.map(prefix_with_input)
train_dataset = train_dataset.remove_columns(["prompt"])

training_args = RewardConfig(
    output_dir="reward", max_steps=1, report_to="none", save_strategy="no", use_cpu=True
)
training_args.dataloader_pin_memory = False
training_args.per_device_train_batch_size = 1
trainer = RewardTrainer(
    model=model,
    args=training_args,
    processing_class=tokenizer,
    train_dataset=train_dataset,
)
trainer.train()
"""
OLD_NAMES = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=["prompt"]
)
config = PPOConfig(
    output_dir="ppo",
    kl_penalty="kl",
    ppo_epochs=3,
    learning_rate=1e-5,
    per_device_train_batch_size=2,
    total_episodes=4,
    response_length=8,
    stop_token="eos",
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = PPOTrainer(
    args=config,
    model=model,
    ref_model=ref_model,
    reward_model=reward_model,
    value_model=value_model,
    processing_class=tokenizer,
    train_dataset=dataset,
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#3269",
        "ppo-first",
        "must match the size of tensor b .2. at non-singleton dimension",
        "num_labels",
        {"train.py": TWO_LABELS, "rows.jsonl": PROMPTS},
        changed(
            TWO_LABELS,
            (
                'SequenceClassification.from_pretrained("model")',
                'SequenceClassification.from_pretrained("reward", num_labels=1)',
            ),
        ),
    ),
    Report(
        "huggingface/trl#3166",
        "grpo-first",
        "must match the size of tensor b",
        "SequenceClassification",
        {"train.py": WRITES, "rows.jsonl": PREFERENCES},
        changed(
            WRITES,
            ("import AutoModelForCausalLM,", "import AutoModelForSequenceClassification,"),
            (
                'AutoModelForCausalLM.from_pretrained("model", attn_implementation="eager")',
                'AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)',
            ),
        ),
    ),
    Report(
        "RethinkFun/trian_ppo#1",
        "grpo-first",
        "unexpected keyword argument 'kl_penalty'",
        "kl_penalty",
        {"train.py": OLD_NAMES, "rows.jsonl": PROMPTS},
        changed(
            OLD_NAMES, ('    kl_penalty="kl",\n    ppo_epochs=3,\n', "    num_ppo_epochs=3,\n")
        ),
    ),
)
