"""Threads that searches drawn by a seed found: PPO's prompts and lengths, GKD's collator."""

import json

from reports.report import CHATS, PROMPTS, Report, changed

UNTOKENIZED = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")

trainer = PPOTrainer(
    args=PPOConfig(
        output_dir="easyllm-ppo",
        learning_rate=1e-5,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        total_episodes=2,
        response_length=8,
        num_sample_generations=0,
        stop_token="eos",
        missing_eos_penalty=1.0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    model=AutoModelForCausalLM.from_pretrained("model"),
    ref_model=AutoModelForCausalLM.from_pretrained("model"),
    reward_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    value_model=AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
"""
TOKENIZED = """\
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
"""
WINDOW = """\
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
config = AutoConfig.from_pretrained("gpt2-tiny", num_labels=1)
policy = AutoModelForCausalLM.from_config(config)
ref_policy = AutoModelForCausalLM.from_config(config)
ref_policy.load_state_dict(policy.state_dict())
reward_model = AutoModelForSequenceClassification.from_config(config)
value_model = AutoModelForSequenceClassification.from_config(config)

dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
ppo_config = PPOConfig(
    output_dir="gpt2-ppo",
    learning_rate=1e-5,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    total_episodes=2,
    response_length=64,
    num_sample_generations=0,
    stop_token="eos",
    missing_eos_penalty=1.0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = PPOTrainer(
    config=ppo_config,
    processing_class=tokenizer,
    policy=policy,
    ref_policy=ref_policy,
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
"""
GPT2 = json.dumps(
    {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "vocab_size": 320,
        "n_positions": 64,
        "n_embd": 32,
        "n_layer": 1,
        "n_head": 2,
        "eos_token_id": 298,
        "bos_token_id": 298,
        "pad_token_id": 299,
    }
)
OWN = """\
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer
from trl.trainer.utils import DataCollatorForChatML

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")


class LastWordsCollator(DataCollatorForChatML):
    \"\"\"Only the last four tokens of an answer count for the distillation.\"\"\"

    def __call__(self, examples):
        batch = super().__call__(examples)
        batch["labels"][:, :-4] = -100
        return batch


trainer = GKDTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    teacher_model=AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model")),
    args=GKDConfig(
        output_dir="gkd-last-words",
        lmbda=0.0,
        learning_rate=1e-4,
        per_device_train_batch_size=2,
        max_length=128,
        max_new_tokens=8,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    data_collator=LastWordsCollator(tokenizer=tokenizer, max_length=128),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
print("the batches are made by", type(trainer.data_collator).__name__)
"""
REPORTS = (
    Report(
        "huggingface/trl#3579",
        "grpo-shapes",
        "should supply an encoding",
        "input_ids",
        {"train.py": UNTOKENIZED, "prompts.jsonl": PROMPTS},
        changed(
            UNTOKENIZED,
            (
                'dataset = load_dataset("json", data_files="prompts.jsonl", split="train")\n',
                TOKENIZED,
            ),
        ),
        level="files",
    ),
    Report(
        "huggingface/trl#1867",
        "ppo-first",
        "index out of range in self",
        "n_positions|max_position|positions|response_length",
        {"train.py": WINDOW, "gpt2-tiny/config.json": GPT2, "prompts.jsonl": PROMPTS},
        changed(WINDOW, ("response_length=64", "response_length=24")),
        level="",
    ),
    Report(
        "huggingface/trl#2481",
        "grpo-shapes",
        "the batches are made by DataCollatorForChatML",
        "collator",
        {"train.py": OWN, "chats.jsonl": CHATS},
        changed(
            OWN,
            (
                "trainer.train()",
                "trainer.data_collator = LastWordsCollator"
                "(tokenizer=tokenizer, max_length=128)\ntrainer.train()",
            ),
        ),
        level="files",
    ),
)
