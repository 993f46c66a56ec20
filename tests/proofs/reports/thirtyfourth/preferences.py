"""Threads of a thirty-fourth list: DPO."""

from reports.report import PAIRS, PREFERENCES, Report, changed, rows

TRACE = "Thought: look around. Action: open the drawer. Observation: it is empty. " * 6
PATHS = rows(
    *(
        {"prompt": f"{TRACE}Task: {a} Next:", "chosen": f" {b}", "rejected": " Action: sleep."}
        for a, b in PAIRS
    )
)
LONG = '''\
"""Learns from pairs of trajectories, the good one and the one that failed."""

import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="model")
    parser.add_argument("--trajectories", default="trajectories.jsonl")
    parser.add_argument("--max-length", type=int, default=256)
    parser.add_argument("--beta", type=float, default=0.1)
    args = parser.parse_args()

    trainer = DPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(args.model),
        processing_class=AutoTokenizer.from_pretrained(args.model),
        train_dataset=load_dataset("json", data_files=args.trajectories, split="train"),
        args=DPOConfig(
            output_dir="eto",
            max_steps=4,
            max_length=args.max_length,
            truncation_mode="keep_start",
            beta=args.beta,
            learning_rate=1e-3,
            per_device_train_batch_size=2,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    margins = [entry["rewards/margins"] for entry in trainer.state.log_history if "loss" in entry]
    print("the margin never moved:", not any(margins))


if __name__ == "__main__":
    main()
'''
SHIFT = '''\
"""DPO; then each pair is scored with the model and with the one that it was trained from."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

LABEL_PAD = -100
BETA = 0.1


@torch.no_grad()
def log_likelihood(model, input_ids, labels):
    """The log-probability that a model gives to the labelled tokens."""
    logits = model(input_ids=input_ids).logits
    mask = labels != LABEL_PAD
    wanted = labels.masked_fill(~mask, 0)
    each = torch.gather(logits.log_softmax(-1), dim=2, index=wanted.unsqueeze(2)).squeeze(2)
    return (each * mask).sum(-1)


def encode(tokenizer, prompt, answer):
    start = tokenizer(prompt)["input_ids"]
    end = tokenizer(answer)["input_ids"] + [tokenizer.eos_token_id]
    labels = [LABEL_PAD] * len(start) + end
    return torch.tensor([start + end]), torch.tensor([labels])


def rewards(model, base, tokenizer, rows, column):
    total = 0.0
    for row in rows:
        inputs = encode(tokenizer, row["prompt"], row[column])
        total += (log_likelihood(model, *inputs) - log_likelihood(base, *inputs)).item()
    return BETA * total / len(rows)


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    model, base = (
        AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32) for _ in range(2)
    )
    pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
    trainer = DPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=pairs,
        eval_dataset=pairs,
        args=DPOConfig(
            output_dir="preferred",
            max_steps=8,
            beta=BETA,
            learning_rate=1e-3,
            per_device_train_batch_size=4,
            per_device_eval_batch_size=4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    told = trainer.evaluate()["eval_rewards/margins"]
    model.eval()
    chosen, rejected = (
        rewards(model, base, tokenizer, pairs, column) for column in ("chosen", "rejected")
    )
    print(f"margin: the trainer says {told:.3f}, the script {chosen - rejected:.3f}")
    print("they agree:", abs(told - chosen + rejected) < 0.05)


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "Yifan-Song793/ETO#14",
        "four",
        "the margin never moved: True",
        r"max_length|truncat|(longer|cut|too long)",
        {"train.py": LONG, "trajectories.jsonl": PATHS},
        changed(LONG, ("default=256", "default=1024")),
    ),
    Report(
        "hiyouga/LlamaFactory#1447",
        "current",
        "they agree: False",
        r"shift|next token|(logits|labels).{0,80}(one|position|align)|off by one",
        {"train.py": SHIFT, "pairs.jsonl": PREFERENCES},
        changed(
            SHIFT,
            (
                "    logits = model(input_ids=input_ids).logits\n",
                "    logits = model(input_ids=input_ids).logits[:, :-1]\n"
                "    labels = labels[:, 1:]\n",
            ),
        ),
    ),
)
