"""Threads of even number as fixed searches found them: scripts of the first PPO in a later one."""

from reports.report import PROMPTS, Report, changed

OLD_CONFIG = """\
# gpt2-sentiment
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

config = PPOConfig(
    model_name="model",
    output_dir="ppo",
    learning_rate=1.41e-5,
    per_device_train_batch_size=2,
    total_episodes=4,
    response_length=8,
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)


def build_dataset(tokenizer):
    ds = load_dataset("json", data_files="rows.jsonl", split="train")

    def tokenize(sample):
        return {"input_ids": tokenizer.encode(sample["prompt"])}

    return ds.map(tokenize, remove_columns=["prompt"])


ppo_trainer = PPOTrainer(
    config,
    processing_class=tokenizer,
    policy=model,
    ref_policy=ref_model,
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=build_dataset(tokenizer),
)
ppo_trainer.train()
"""
QUERIES = """\
from datasets import load_dataset
from tqdm import tqdm
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

config = PPOConfig(
    output_dir="ppo",
    learning_rate=1.41e-5,
    per_device_train_batch_size=2,
    total_episodes=4,
    response_length=8,
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")
ref_model = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)


def build_dataset(config, dataset_name="rows.jsonl"):
    ds = load_dataset("json", data_files=dataset_name, split="train")
    ds = ds.rename_columns({"prompt": "review"})

    def tokenize(sample):
        sample["input_ids"] = tokenizer.encode(sample["review"])[:16]
        sample["query"] = tokenizer.decode(sample["input_ids"])
        return sample

    ds = ds.map(tokenize, batched=False)
    ds.set_format(type="torch")
    return ds


dataset = build_dataset(config)
ppo_trainer = PPOTrainer(
    config,
    processing_class=tokenizer,
    policy=model,
    ref_policy=ref_model,
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=dataset,
)
for epoch, batch in tqdm(enumerate(ppo_trainer.dataloader)):
    print(epoch, batch["input_ids"].shape)
    if epoch:
        break
"""
OLD_TRAINER = """\
import re

import numpy as np
from transformers import AutoTokenizer
from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer


def generate_data(n):
    tasks, answers = [], []
    for _ in range(n):
        a, b = np.random.randint(0, 50), np.random.randint(0, 50)
        tasks.append(f"What is {a} + {b}?")
        answers.append(a + b)
    return tasks, answers


model_id = "model"
model = AutoModelForCausalLMWithValueHead.from_pretrained(model_id)
model_ref = AutoModelForCausalLMWithValueHead.from_pretrained(model_id)
tokenizer = AutoTokenizer.from_pretrained(model_id)

ppo_config = PPOConfig(
    batch_size=256,
    learning_rate=1.41e-5,
    mini_batch_size=64,
    log_with="wandb",
)
ppo_trainer = PPOTrainer(ppo_config, model, model_ref, tokenizer)
tasks, answers = generate_data(4)
"""
NEW_TRAINER = """\
import numpy as np
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import PPOConfig, PPOTrainer

model_id = "model"
tokenizer = AutoTokenizer.from_pretrained(model_id, padding_side="left")
tasks = [f"What is {np.random.randint(50)} + {np.random.randint(50)}?" for _ in range(4)]
dataset = Dataset.from_dict({"input_ids": [tokenizer(task)["input_ids"] for task in tasks]})
ppo_config = PPOConfig(
    output_dir="ppo",
    learning_rate=1.41e-5,
    per_device_train_batch_size=2,
    total_episodes=4,
    response_length=8,
    num_sample_generations=0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
ppo_trainer = PPOTrainer(
    args=ppo_config,
    processing_class=tokenizer,
    model=AutoModelForCausalLM.from_pretrained(model_id),
    ref_model=AutoModelForCausalLM.from_pretrained(model_id),
    reward_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    value_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    train_dataset=dataset,
)
ppo_trainer.train()
"""
STOPPED = ("    response_length=8,\n", '    response_length=8,\n    stop_token="eos",\n')
REPORTS = (
    Report(
        "huggingface/trl#2314",
        "ppo-first",
        "unexpected keyword argument 'model_name'",
        "model_name",
        {"train.py": OLD_CONFIG, "rows.jsonl": PROMPTS},
        changed(OLD_CONFIG, ('    model_name="model",\n', ""), STOPPED),
    ),
    Report(
        "huggingface/trl#2340",
        "ppo-first",
        "too many dimensions 'str'",
        "column.*(review|query)|(review|query).*column",
        {"train.py": QUERIES, "rows.jsonl": PROMPTS},
        changed(
            QUERIES,
            ("batched=False)", 'batched=False, remove_columns=["review"])'),
            ('        sample["query"] = tokenizer.decode(sample["input_ids"])\n', ""),
            STOPPED,
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3146",
        "grpo-first",
        "unexpected keyword argument 'log_with'",
        "log_with|reward_model|train_dataset",
        {"train.py": OLD_TRAINER},
        changed(NEW_TRAINER, STOPPED),
    ),
)
