"""Threads of a thirty-fourth list: rows that are held out, or are not."""

from reports.report import Report, changed, rows

LETTERS = (
    ("How do I reset my password?", "Open the settings and choose reset.", "No idea."),
    ("Where is my parcel?", "It left the depot this morning.", "Somewhere."),
    ("Can I pay by card?", "Yes, with every common card.", "Maybe."),
    ("When do you open?", "At nine on each weekday.", "Later."),
    ("Do you ship abroad?", "Yes, to forty countries.", "Ask again."),
    ("How do I return shoes?", "Print the label and send them back.", "Keep them."),
    ("Is there a warranty?", "Two years on every device.", "Who knows."),
    ("Who can I call?", "Our line is open until six.", "Nobody."),
)
PAIRED = rows(*({"prompt": a, "chosen": f" {b}", "rejected": f" {c}"} for a, b, c in LETTERS))
JUDGE = '''\
"""Trains a judge of answers."""

import argparse
from pathlib import Path

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pretrain", default="model")
    parser.add_argument("--dataset", default="pairs.jsonl")
    parser.add_argument("--eval-dataset", default="pairs-eval.jsonl")
    parser.add_argument("--eval-share", type=float, default=0.25)
    return parser.parse_args()


def read(path):
    return load_dataset("json", data_files=str(path), split="train")


def data_of(args):
    train = read(args.dataset)
    if Path(args.eval_dataset).exists():
        return train, read(args.eval_dataset)
    return train, train.select(range(int(args.eval_share * len(train))))


def main():
    args = parse()
    train, held_out = data_of(args)
    tokenizer = AutoTokenizer.from_pretrained(args.pretrain)
    trainer = RewardTrainer(
        model=AutoModelForSequenceClassification.from_pretrained(args.pretrain, num_labels=1),
        processing_class=tokenizer,
        train_dataset=train,
        eval_dataset=held_out,
        args=RewardConfig(
            output_dir="judge",
            num_train_epochs=2,
            per_device_train_batch_size=2,
            per_device_eval_batch_size=2,
            eval_strategy="epoch",
            learning_rate=1e-3,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    accuracy = trainer.evaluate()["eval_accuracy"]
    known = sum(row in train["prompt"] for row in held_out["prompt"])
    print(f"accuracy {accuracy:.2f} on {len(held_out)} pairs, of which were trained on: {known}")


if __name__ == "__main__":
    main()
'''
TICKETS = (
    ("My SSO login redirects to a blank page after the update on Monday", "access"),
    ("The invoice of March lists a seat that we never ordered", "billing"),
    ("Export of the yearly report stops at forty percent", "reports"),
    ("Two of our agents cannot see the shared inbox any more", "access"),
    ("Please change the address on our next invoice", "billing"),
    ("The dashboard shows last week instead of today", "reports"),
)
OTHER = (
    ("A colleague left and her account has to be closed", "access"),
    ("Why were we charged twice for the same month", "billing"),
    ("Numbers in the chart do not add up to the total", "reports"),
)


def tickets(pairs: tuple[tuple[str, str], ...]) -> str:
    """Rows of tickets with the queue that each belongs to."""
    return rows(*({"ticket": text, "queue": queue} for text, queue in pairs))


TWINS = tuple((f"Hello team, {text[0].lower()}{text[1:]}. Thanks", q) for text, q in TICKETS[:3])
ROUTES = '''\
"""Routes tickets of the help desk: fine-tunes, and says how good it is on held-out tickets."""

from difflib import SequenceMatcher

from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

FILES = {"train": "tickets-train.jsonl", "test": "tickets-test.jsonl"}


def to_pair(row):
    return {
        "prompt": f"Ticket: {row['ticket']}\\nQueue:",
        "completion": f" {row['queue']}",
    }


def fine_tune(data):
    trainer = SFTTrainer(
        model="model",
        train_dataset=data["train"],
        eval_dataset=data["test"],
        peft_config=LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"),
        args=SFTConfig(
            output_dir="router",
            num_train_epochs=2,
            per_device_train_batch_size=2,
            per_device_eval_batch_size=2,
            eval_strategy="epoch",
            learning_rate=2e-4,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    return trainer.evaluate()


def alike(one, other):
    """The share of the shorter ticket that is found in the other one."""
    blocks = SequenceMatcher(None, one.lower(), other.lower(), autojunk=False)
    return sum(block.size for block in blocks.get_matching_blocks()) / min(len(one), len(other))


if __name__ == "__main__":
    raw = load_dataset("json", data_files=FILES)
    metrics = fine_tune(raw.map(to_pair, remove_columns=["ticket", "queue"]))
    known = raw["train"]["ticket"]
    twins = sum(any(alike(new, old) > 0.9 for old in known) for new in raw["test"]["ticket"])
    print(f"loss on the held-out tickets: {metrics['eval_loss']:.2f}")
    print(f"held-out tickets with a twin in the training: {twins}")
'''
SHARED = (
    r"(eval|held|test).{0,160}(also|same|overlap|train|twin|seen|near|copies)|overlap|leak"
    r"|(train).{0,160}(also|same|overlap).{0,80}eval"
)
REPORTS = (
    Report(
        "OpenRLHF/OpenRLHF#1089",
        "current",
        "of which were trained on: 2",
        SHARED,
        {"train.py": JUDGE, "pairs.jsonl": PAIRED},
        changed(
            JUDGE,
            (
                "    return train, train.select(range(int(args.eval_share * len(train))))\n",
                "    parts = train.train_test_split(test_size=args.eval_share, seed=0)\n"
                '    return parts["train"], parts["test"]\n',
            ),
        ),
    ),
    Report(
        "dev.to/marcuswwchen/a-9-point-eval-gain-vanished-3baj",
        "current",
        "with a twin in the training: 3",
        SHARED,
        {
            "train.py": ROUTES,
            "tickets-train.jsonl": tickets(TICKETS),
            "tickets-test.jsonl": tickets(TWINS),
        },
        {"tickets-test.jsonl": tickets(OTHER)},
    ),
)
