"""Threads of a thirty-second list: groups of answers, and how they are asked for."""

from reports.report import ASKED, PROMPTS, Report, changed, rows, turn

LONG = rows(
    *(
        {
            "prompt": [
                turn("system", "You are a careful assistant. Think before you answer. " * 2),
                turn("user", asked),
            ]
        }
        for asked in ASKED
    )
)
ZERO = '''\
"""GRPO, or with --num_generations 0 no groups at all."""

import argparse

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="model")
    parser.add_argument("--data", default="prompts.jsonl")
    parser.add_argument("--num_generations", type=int, default=0)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=1)
    return parser.parse_args()


def brevity(completions, **kwargs):
    return [1.0 / (1 + len(text)) for text in completions]


def main():
    given = parse()
    config = GRPOConfig(
        output_dir="grpo-brief",
        num_generations=given.num_generations,
        per_device_train_batch_size=given.batch,
        max_completion_length=12,
        max_steps=given.steps,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    GRPOTrainer(
        model=given.model,
        args=config,
        reward_funcs=brevity,
        train_dataset=load_dataset("json", data_files=given.data, split="train"),
    ).train()


if __name__ == "__main__":
    main()
'''
HEADLESS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

set_seed(5)
max_seq_length = 64
max_prompt_length = 32

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="asked.jsonl", split="train")


def lengths(completions, **kwargs):
    return [float(len(completion[0]["content"]) % 5) for completion in completions]


def polite(completions, **kwargs):
    return [0.5 if "please" in completion[0]["content"] else 0.0 for completion in completions]


training_args = GRPOConfig(
    output_dir="outputs",
    learning_rate=5e-6,
    per_device_train_batch_size=4,
    num_generations=4,
    max_prompt_length=max_prompt_length,
    max_completion_length=max_seq_length - max_prompt_length,
    max_steps=1,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[lengths, polite],
    args=training_args,
    train_dataset=dataset,
)
asked = []
hook = model.get_input_embeddings().register_forward_hook(
    lambda layer, inputs, output: asked.append(tokenizer.decode(inputs[0][0]))
)
trainer.train()
hook.remove()
print("the assistant's turn was opened:", asked[0].endswith("<|im_start|>assistant\\n"))
"""
REPORTS = (
    Report(
        "huggingface/trl#7061",
        "current",
        "ZeroDivisionError|modulo by zero",
        r"num_generations",
        {"train.py": ZERO, "prompts.jsonl": PROMPTS},
        changed(
            ZERO,
            (
                '"--num_generations", type=int, default=0',
                '"--num_generations", type=int, default=2',
            ),
        ),
    ),
    Report(
        "unslothai/unsloth#3971",
        "four",
        "the assistant's turn was opened: False",
        r"max_prompt_length|truncat|\bcut\b",
        {"train.py": HEADLESS, "asked.jsonl": LONG},
        changed(
            HEADLESS,
            ("max_prompt_length = 32", "max_prompt_length = 256"),
            ("max_seq_length = 64", "max_seq_length = 288"),
        ),
    ),
)
