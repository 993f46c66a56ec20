"""Threads of a fifteenth list: GRPO, PPO and GKD."""

from reports.report import CHATS, PAIRS, PROMPTS, Report, changed, rows

CHECKPOINTED = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
policy = AutoModelForCausalLM.from_pretrained("model")
policy.gradient_checkpointing_enable()
ref_policy = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]}, remove_columns=["prompt"]
)
training_args = PPOConfig(
    output_dir="ppo-checkpointed",
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    num_ppo_epochs=1,
    total_episodes=4,
    response_length=8,
    stop_token="eos",
    missing_eos_penalty=1.0,
    num_sample_generations=0,
    learning_rate=3e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = PPOTrainer(
    args=training_args,
    processing_class=tokenizer,
    model=policy,
    ref_model=ref_policy,
    reward_model=reward_model,
    value_model=value_model,
    train_dataset=dataset,
    eval_dataset=dataset,
)
trainer.train()
"""
FOUND_SIZE = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def reward_func(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


training_args = GRPOConfig(
    output_dir="grpo-any-gpu",
    auto_find_batch_size=True,
    per_device_train_batch_size=8,
    num_generations=4,
    max_completion_length=8,
    learning_rate=1e-5,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_func,
    args=training_args,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
"""
BARE = """\
import json

from datasets import Dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

asked = []


def build_prompt_dataset_rows(path):
    with open(path) as file:
        tasks = [json.loads(line) for line in file]
    return [{"prompt": task["question"], "answer": task["answer"]} for task in tasks]


def reward_func(prompts, completions, answer, **kwargs):
    asked.extend(prompts)
    scores = []
    for completion, wanted in zip(completions, answer):
        said = completion if isinstance(completion, str) else completion[-1]["content"]
        scores.append(1.0 * (wanted in said) + 0.1 * len(set(said)))
    return scores


tokenizer = AutoTokenizer.from_pretrained("model")
trainer = GRPOTrainer(
    model="model",  # an instruct model
    reward_funcs=reward_func,
    args=GRPOConfig(
        output_dir="grpo-gsm8k",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        learning_rate=1e-5,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=Dataset.from_list(build_prompt_dataset_rows("tasks.jsonl")),
    processing_class=tokenizer,
)
trainer.train()
print("asked in the model's chat format:", not isinstance(asked[0], str))
"""
TASKS = rows(*({"question": asked, "answer": answer} for asked, answer in PAIRS))
DISTILLED = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
training_args = GKDConfig(
    output_dir="gkd-forward",
    beta=0.0,  # the forward KL: the student covers what the teacher says
    lmbda=0.0,
    max_new_tokens=8,
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GKDTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    teacher_model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()

student, teacher = torch.tensor([[[2.0, 0.0, 0.0]]]), torch.tensor([[[1.0, 1.0, -3.0]]])
found = trainer.generalized_jsd_loss(student, teacher, beta=trainer.beta, reduction="sum")
forward = torch.nn.functional.kl_div(
    student.log_softmax(-1), teacher.log_softmax(-1), reduction="sum", log_target=True
)
print("the student learns by the forward KL:", torch.allclose(found, forward, atol=1e-4))
"""
REPORTS = (
    Report(
        "huggingface/trl#5245",
        "four",
        "has no attribute 'gradient_checkpointing_disable'",
        "gradient_checkpointing",
        {"train.py": CHECKPOINTED, "prompts.jsonl": PROMPTS},
        changed(CHECKPOINTED, ("policy.gradient_checkpointing_enable()\n", "")),
        level="",
    ),
    Report(
        "huggingface/trl#6411",
        "current",
        "auto_find_batch_size is not supported by GRPO",
        "auto_find_batch_size",
        {"train.py": FOUND_SIZE, "prompts.jsonl": PROMPTS},
        changed(FOUND_SIZE, ("    auto_find_batch_size=True,\n", "")),
        level="",
    ),
    Report(
        "greyhaven-ai/autocontext#1070",
        "current",
        "asked in the model's chat format: False",
        "chat.(template|format)|conversation|messages",
        {"train.py": BARE, "tasks.jsonl": TASKS},
        changed(
            BARE,
            (
                '    return [{"prompt": task["question"], "answer": task["answer"]} for task'
                " in tasks]",
                "    return [\n"
                "        {\n"
                '            "prompt": [{"role": "user", "content": task["question"]}],\n'
                '            "answer": task["answer"],\n'
                "        }\n"
                "        for task in tasks\n"
                "    ]",
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3043",
        "grpo-first",
        "the student learns by the forward KL: False",
        "beta",
        {"train.py": DISTILLED, "chats.jsonl": CHATS},
        changed(DISTILLED, ("beta=0.0,", "beta=1.0,")),
        level="",
    ),
)
