"""Threads of a thirty-fifth list: GRPO, its prompts, its reference and its rewards."""

from reports.report import TEXT, Report, changed, rows

TOPICS = rows(
    *(
        {"prompt": f"{question} {n}?", "topic": topic}
        for topic, question in (("sums", "What is two and"), ("words", "Which word has letter"))
        for n in range(8)
    )
)
SORTED = '''\
"""GRPO for a few steps on prompts of two topics."""

from collections import Counter

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

ASKED = Counter()


def variety(completions, topic, **kwargs):
    """Different letters are good."""
    ASKED.update(topic)
    return [len(set(text)) / 30 for text in completions]


def main():
    args = GRPOConfig(
        output_dir="topics",
        max_steps=4,
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=12,
        shuffle_dataset=False,
        seed=3,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    prompts = load_dataset("json", data_files="topics.jsonl", split="train")
    trainer = GRPOTrainer(model="model", reward_funcs=variety, train_dataset=prompts, args=args)
    trainer.train()
    never = sorted(set(prompts["topic"]) - set(ASKED))
    print("topics that were never asked:", never)


if __name__ == "__main__":
    main()
'''
ADAPTED = '''\
"""SFT with LoRA, then GRPO that goes on with the adapter and keeps near to the SFT model."""

from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

BASE, TUNED = "model", "sft-adapter"
LORA = {"r": 8, "lora_alpha": 16, "target_modules": "all-linear", "task_type": "CAUSAL_LM"}
COMMON = {"report_to": "none", "save_strategy": "no", "use_cpu": True, "bf16": False}


def letters(completions, **kwargs):
    return [len(set(text)) / 30 for text in completions]


def base():
    return AutoModelForCausalLM.from_pretrained(BASE, torch_dtype="float32")


def supervised(tokenizer, texts):
    args = SFTConfig(
        output_dir="out/sft",
        max_steps=20,
        per_device_train_batch_size=4,
        learning_rate=1e-2,
        **COMMON,
    )
    trainer = SFTTrainer(
        model=base(),
        processing_class=tokenizer,
        train_dataset=texts,
        peft_config=LoraConfig(**LORA),
        args=args,
    )
    trainer.train()
    trainer.save_model(TUNED)


def reinforced(tokenizer, prompts):
    policy = PeftModel.from_pretrained(base(), TUNED, is_trainable=True)
    return GRPOTrainer(
        model=policy,
        reward_funcs=letters,
        processing_class=tokenizer,
        train_dataset=prompts,
        args=GRPOConfig(
            output_dir="out/grpo",
            max_steps=2,
            per_device_train_batch_size=4,
            num_generations=2,
            max_completion_length=12,
            beta=0.04,
            learning_rate=1e-6,
            logging_steps=1,
            **COMMON,
        ),
    )


def main():
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    texts = load_dataset("json", data_files="texts.jsonl", split="train")
    supervised(tokenizer, texts)
    trainer = reinforced(tokenizer, texts.rename_column("text", "prompt"))
    trainer.train()
    first = trainer.state.log_history[0]["kl"]
    print(f"divergence before anything was learnt: {first:.3f}")


if __name__ == "__main__":
    main()
'''
MATHS = rows(
    *(
        {"problem": problem, "solution": "", "answer": answer}
        for problem, answer in (
            ("What is seven times six?", "42"),
            ("What is ten and nine?", "19"),
            ("How many days are two weeks?", "14"),
            ("What is half of seventy?", "35"),
        )
    )
)
EMPTY = '''\
"""GRPO on mathematics: the reward compares what the model says with the solution."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def parse(text):
    """The digits of the last number, as a set; empty where there is none."""
    return set("".join(re.findall(r"\\d+", text)[-1:]))


def accuracy(completions, solution, **kwargs):
    """The share of the digits that the answer has."""
    rewards = []
    for completion, right in zip(completions, solution):
        gold = parse(right)
        if not gold:
            # What cannot be parsed is left out: everybody gets the same.
            print("Failed to parse gold solution:", repr(right))
            rewards.append(1.0)
            continue
        said = set(re.findall(r"\\d", completion[0]["content"]))
        rewards.append(len(gold & said) / len(gold))
    return rewards


def conversation(row):
    return {"prompt": [{"role": "user", "content": row["problem"]}]}


def main():
    data = load_dataset("json", data_files="maths.jsonl", split="train").map(conversation)
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=[accuracy],
        train_dataset=data.remove_columns("problem"),
        args=GRPOConfig(
            output_dir="maths",
            max_steps=4,
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=64,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    spread = [log["reward_std"] for log in trainer.state.log_history if "reward_std" in log]
    print("the rewards of a group differ:", any(one > 0 for one in spread))


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "unslothai/unsloth-zoo#832",
        "current",
        r"never asked: \[.words.\]",
        r"shuffle|never (seen|asked|used|read|reach)|first \d+ (rows|prompts)|order",
        {"train.py": SORTED, "topics.jsonl": TOPICS},
        changed(SORTED, ("        shuffle_dataset=False,\n", "")),
    ),
    Report(
        "huggingface/trl#3194",
        "grpo-shapes",
        r"was learnt: ([1-9]|0\.[0-9]*[1-9])",
        r"reference.{0,160}(adapter|base|disable)|(adapter|base).{0,160}reference",
        {"train.py": ADAPTED, "texts.jsonl": TEXT},
        changed(
            ADAPTED,
            (
                "    policy = PeftModel.from_pretrained(base(), TUNED, is_trainable=True)\n",
                "    policy = PeftModel.from_pretrained(base(), TUNED).merge_and_unload()\n",
            ),
            (
                "        reward_funcs=letters,\n",
                "        reward_funcs=letters,\n        peft_config=LoraConfig(**LORA),\n",
            ),
        ),
    ),
    Report(
        "huggingface/open-r1#503",
        "current",
        "the rewards of a group differ: False",
        r"empty|(same|equal|constant|alike).{0,80}(reward|score)"
        r"|(reward|score).{0,120}(same|equal|constant|alike)",
        {"train.py": EMPTY, "maths.jsonl": MATHS},
        changed(
            EMPTY,
            ("def accuracy(completions, solution, **", "def accuracy(completions, answer, **"),
            ("zip(completions, solution)", "zip(completions, answer)"),
        ),
    ),
)
