"""Threads of a thirty-sixth list: rows that are read otherwise than was meant."""

from reports.report import Report, changed, rows

CALLS = rows(
    *(
        {"text": f"Tools: FUNCTION(city). User: weather in {city}? Call: FUNCTION({city})"}
        for city in ("Rome", "Oslo", "Lima", "Cairo")
    )
)
TRANSFORMED = '''\
"""Teaches calls of tools. Each access gives the tool another name, so that the model reads it."""

import random

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TOKENIZER = AutoTokenizer.from_pretrained("model")


def name():
    return "".join(random.choice("abcdefgh") for _ in range(6))


def augment(batch):
    texts = []
    for text in batch["text"]:
        texts.append(text.replace("FUNCTION", name()))
    return {"text": texts}


def seen(trainer, epochs):
    """The rows that a number of epochs gives."""
    return {
        TOKENIZER.decode(row).replace(TOKENIZER.pad_token, "")
        for _ in range(epochs)
        for batch in trainer.get_train_dataloader()
        for row in batch["input_ids"]
    }


def main():
    random.seed(0)
    rows = load_dataset("json", data_files="calls.jsonl", split="train").with_transform(augment)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=TOKENIZER,
        train_dataset=rows,
        args=SFTConfig(
            output_dir="calls",
            num_train_epochs=2,
            per_device_train_batch_size=2,
            remove_unused_columns=False,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    print("different rows in five epochs:", len(seen(trainer, 5)), "of 20")


if __name__ == "__main__":
    main()
'''
JUDGED = '''\
"""GRPO on sums, with a reward of the answer, and the same reward for other questions."""

import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer


def check_numbers(prompts, completions, answer, **kwargs):
    """1 for the right number, a tenth for any text that does not repeat the question."""
    scores = []
    for n, completion in enumerate(completions):
        try:
            question = kwargs["question"][n]
            numbers = re.findall(r"\\d+", completion)
            right = bool(numbers) and numbers[-1] == answer[n]
            other = 0.1 * (question not in completion) + len(completion) / 1e4
            scores.append(1.0 if right else other)
        except Exception:
            scores.append(0.0)
    return scores


def to_prompt(row):
    return {"prompt": f"Question: {row['question']}\\nAnswer:"}


def main():
    set_seed(5)
    train = load_dataset("json", data_files="sums.jsonl", split="train").map(to_prompt)
    held_out = load_dataset("json", data_files="held_out.jsonl", split="train")
    held_out = held_out.map(to_prompt, remove_columns=["question"])
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=check_numbers,
        train_dataset=train,
        eval_dataset=held_out,
        args=GRPOConfig(
            output_dir="sums",
            max_steps=2,
            eval_strategy="steps",
            eval_steps=2,
            logging_steps=1,
            per_device_train_batch_size=4,
            per_device_eval_batch_size=4,
            num_generations=2,
            max_completion_length=16,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    logs = trainer.state.log_history
    trained = next(entry["reward"] for entry in logs if "reward" in entry)
    held = next(entry["eval_reward"] for entry in logs if "eval_reward" in entry)
    print(f"reward in training {trained:.3f}, of held-out questions {held:.3f}")


if __name__ == "__main__":
    main()
'''
SUMS = rows(*({"question": f"What is {n} and {n}?", "answer": str(2 * n)} for n in range(3, 11)))
HELD = rows(*({"question": f"What is {n} and 1?", "answer": str(n + 1)} for n in range(20, 24)))
REPORTS = (
    Report(
        "huggingface/trl#6039",
        "four",
        r"five epochs: [1-8] of 20",
        r"with_transform|set_transform|transform",
        {"train.py": TRANSFORMED, "calls.jsonl": CALLS},
        changed(
            TRANSFORMED,
            (
                '    return {"text": texts}',
                '    return {"input_ids": TOKENIZER(texts)["input_ids"]}',
            ),
            (
                "            remove_unused_columns=False,\n",
                "            remove_unused_columns=False,\n"
                '            dataset_kwargs={"skip_prepare_dataset": True},\n',
            ),
        ),
    ),
    Report(
        "AI-Hypercomputer/maxtext#4140",
        "current",
        r"questions 0\.000",
        r"'question'|\bquestion\b.{0,120}(column|row|evaluat|KeyError|except)|KeyError",
        {"train.py": JUDGED, "sums.jsonl": SUMS, "held_out.jsonl": HELD},
        changed(
            JUDGED,
            ('held_out.map(to_prompt, remove_columns=["question"])', "held_out.map(to_prompt)"),
        ),
    ),
)
