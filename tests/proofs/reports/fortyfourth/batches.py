"""Threads of a forty-fourth list: a batch, and an evaluation."""

from reports.report import CHATS, PROMPTS, Report, changed

GROUPS = '''\
"""GRPO on answers to be kept to a duration; the groups are larger than before."""

import argparse

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def external_duration(completions, **kwargs):
    return [1.0 - abs(len(completion) - 30) / 100 for completion in completions]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_generations", type=int, default=8)
    parser.add_argument("--per_device_train_batch_size", type=int, default=1)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--max_completion_length", type=int, default=16)
    return parser.parse_args()


args = arguments()
config = GRPOConfig(
    output_dir="output/GRPO_CLEVR_COUNTDOWN",
    num_generations=args.num_generations,
    per_device_train_batch_size=args.per_device_train_batch_size,
    gradient_accumulation_steps=args.gradient_accumulation_steps,
    max_completion_length=args.max_completion_length,
    learning_rate=1e-6,
    beta=0.001,
    temperature=1.0,
    top_p=0.9,
    top_k=50,
    max_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=external_duration,
    args=config,
    train_dataset=load_dataset("json", data_files="demo.jsonl", split="train"),
)
trainer.train()
'''
EVALUATED = '''\
"""GRPO with an evaluation on rows that are kept back."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

output_model = "grpo-preferences"
dataset = load_dataset("json", data_files="preferences.jsonl", split="train")
train_dataset = dataset.select(range(3))
eval_dataset = dataset.select(range(3, 4))

config = GRPOConfig(
    output_dir=output_model,
    max_steps=1,
    per_device_train_batch_size=1,
    per_device_eval_batch_size=1,
    gradient_accumulation_steps=8,  # Effective batch size = 8
    learning_rate=1e-6,
    max_completion_length=16,
    eval_strategy="steps",
    eval_steps=1,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)


def preference_reward_func(completions, **kwargs):
    """Prefer shorter, more concise responses."""
    return [max(0.0, 1.0 - len(completion) / 500) for completion in completions]


trainer = GRPOTrainer(
    model="model",
    args=config,
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    reward_funcs=preference_reward_func,
)
trainer.train()
'''
UNSPLIT = '''\
"""SFT as a job: the demo has no evaluation split, the configuration came from another."""

from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="capybara.jsonl", split="train")

trainer = SFTTrainer(
    model="model",
    train_dataset=dataset,
    peft_config=LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"]),
    args=SFTConfig(
        output_dir="my-model",
        num_train_epochs=1,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        learning_rate=2e-4,
        logging_steps=1,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
REPORTS = (
    Report(
        "modelscope/ms-swift#4589",
        "current",
        "divisible|must not be zero",
        r"num_generations",
        {"train.py": GROUPS, "demo.jsonl": PROMPTS},
        changed(
            GROUPS, ('gradient_accumulation_steps", type=int, default=4',
                     'gradient_accumulation_steps", type=int, default=8')
        ),
    ),
    Report(
        "huggingface.co/ligaments-dev/grpo-training-scripts/commit/8a1d2742",
        "current",
        "divisible",
        r"per_device_eval_batch_size|eval(uation)? batch size|num_generations_eval",
        {"train.py": EVALUATED, "preferences.jsonl": PROMPTS},
        changed(EVALUATED, ("_eval_batch_size=1", "_eval_batch_size=8")),
    ),
    Report(
        "huggingface.co/datasets/mcp-tools/skills_go_to_github/commit/82d8f107",
        "current",
        "eval_dataset",
        r"eval_dataset|eval_strategy",
        {"train.py": UNSPLIT, "capybara.jsonl": CHATS},
        changed(
            UNSPLIT,
            ('split="train")\n', 'split="train")\n'
             "dataset_split = dataset.train_test_split(test_size=0.25, seed=42)\n"),
            ("    train_dataset=dataset,\n", '    train_dataset=dataset_split["train"],\n'
             '    eval_dataset=dataset_split["test"],\n'),
        ),
    ),
)  # fmt: skip
