"""Rows of a twenty-seventh list: twelve questions, with answers."""

import json

from laid import ROOT

from reports.report import rows, turn

QUESTIONS = (
    "What is seven times six?",
    "What is the capital of Peru?",
    "Name a colour of the sky.",
    "How many days has a week?",
    "Who wrote Hamlet?",
    "What do bees make?",
    "What is ice made of?",
    "How many legs has a spider?",
    "What is the opposite of hot?",
    "Which planet is red?",
    "What is ten minus four?",
    "Where do penguins live?",
)
ANSWERS = (
    "Forty-two.",
    "Lima.",
    "Blue.",
    "Seven days.",
    "Shakespeare.",
    "Honey.",
    "Water.",
    "Eight legs.",
    "Cold.",
    "Mars.",
    "Six.",
    "In Antarctica.",
)
PAIRS = tuple(zip(QUESTIONS, ANSWERS, strict=True))
TEXTS = rows(*({"text": f"{asked} {answer}"} for asked, answer in PAIRS))
CHATS = rows(*({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
COMPLETIONS = rows(*({"prompt": a, "completion": f" {b}"} for a, b in PAIRS))
PROMPTS = rows(*({"prompt": asked} for asked in QUESTIONS))
ALPACA = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
CHOICES = rows(*({"prompt": a, "chosen": f" {b}", "rejected": " I do not know."} for a, b in PAIRS))


def solutions() -> str:
    """Sums that are answered twice: the second answer is the right one."""
    asked = (
        {
            "prompt": f"{number} + {4 + number % 2 - number} =",
            "completion": f" Answer: 9?\n No. Answer: {4 + number % 2}",
            "answer": str(4 + number % 2),
        }
        for number in range(-8, 4)
    )
    return rows(*asked)


def letters() -> str:
    """A tokenizer of letters: other ids than the fixtures' for the same text."""
    whole = json.loads((ROOT / "fixtures/models/reward/tokenizer.json").read_text())
    whole["model"]["merges"] = []
    return json.dumps(whole)


def dialogue() -> str:
    """A file with a line of a talk a row."""
    return "speaker,line\n" + "".join(f"A,{asked}\nB,{answer}\n" for asked, answer in PAIRS)


def base_model() -> dict[str, str]:
    """The files of a model that ends what it writes with another token than its template."""
    keys: dict[str, dict[str, object]] = {
        "tokenizer_config.json": {"eos_token": "<|endoftext|>"},
        "generation_config.json": {"eos_token_id": 296},
        "config.json": {"eos_token_id": 296},
    }
    folder = ROOT / "fixtures/models/healthy"
    return {
        f"model/{name}": json.dumps({**json.loads((folder / name).read_text()), **more})
        for name, more in keys.items()
    }
