"""Labels of other records, and numbers that are ordered as texts: real runs show them, too.

The marks at the ends of lines are those of `two_forms.many`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from laid import Interpreter
from test_beside_the_data import WORDS, script
from two_forms.many import Script, assert_shown_and_told
from two_forms.script import by_environment

ARGS = """output_dir="out", per_device_train_batch_size=2, logging_steps=1, use_cpu=True,
                  max_steps=2, bf16=False, report_to="none", save_strategy="no",
                  learning_rate=1e-3"""
LABELS = f"""\
import json

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

reviews = [json.loads(line) for line in open("reviews.jsonl")]
texts = [line["text"] for line in reviews if line["words"] != 7]
labels = [line["label"] for line in reviews]  #~bad
labels = [line["label"] for line in reviews if line["words"] != 7]  #~good
own = {{line["text"]: line["label"] for line in reviews}}
rows = [{{"prompt": f"{{text}} It is", "completion": f" {{label}}"}}
        for text, label in zip(texts, labels)]
print("OWN", all(own[text] == label for text, label in zip(texts, labels)))
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=Dataset.from_list(rows)).train()
"""
SHUFFLED = f"""\
import json

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

reviews = [json.loads(line) for line in open("reviews.jsonl")]
rows = Dataset.from_dict({{"prompt": [f"{{line['text']}} It is" for line in reviews]}})
rows = rows.shuffle(seed=1)  #~bad
rows = rows.add_column("completion", [" " + line["label"] for line in reviews])
rows = rows.shuffle(seed=1)  #~good
own = {{line["text"]: line["label"] for line in reviews}}
print("OWN", all(own[row["prompt"][:-6]] == row["completion"].strip() for row in rows))
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows).train()
"""
TURNS = f"""\
import csv
from itertools import groupby

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

lines = list(csv.DictReader(open("turns.csv")))
lines.sort(key=lambda line: (line["talk"], line["turn"]))  #~bad
lines.sort(key=lambda line: (line["talk"], int(line["turn"])))  #~good
rows = []
for talk, group in groupby(lines, key=lambda line: line["talk"]):
    turns = list(group)
    print("ORDER", [int(turn["turn"]) for turn in turns] == list(range(1, 1 + len(turns))))
    rows.append({{"text": "\\n".join(f"{{turn['who']}}: {{turn['said']}}" for turn in turns)}})
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=Dataset.from_list(rows)).train()
"""
POINTS = f"""\
import csv

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

rows, right = [], []
for line in csv.DictReader(open("points.csv")):
    first, second = line["points_a"], line["points_b"]
    best, worst = ("a", "b") if first > second else ("b", "a")  #~bad
    best, worst = ("a", "b") if int(first) > int(second) else ("b", "a")  #~good
    right.append(int(line[f"points_{{best}}"]) > int(line[f"points_{{worst}}"]))
    rows.append({{"prompt": line["question"], "chosen": line[f"answer_{{best}}"],
                 "rejected": line[f"answer_{{worst}}"]}})
print("BETTER", all(right))
trainer = DPOTrainer(
    AutoModelForCausalLM.from_pretrained("models/healthy"), args=DPOConfig({ARGS}),
    train_dataset=Dataset.from_list(rows),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
"""
KEPT = f"""\
import json

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

reviews = [json.loads(line) for line in open("reviews.jsonl")]
reviews.sort(key=lambda line: line["votes"], reverse=True)  #~bad
reviews.sort(key=lambda line: int(line["votes"]), reverse=True)  #~good
kept, others = reviews[:20], reviews[20:]
least, most = min(int(line["votes"]) for line in kept), max(int(line["votes"]) for line in others)
print("MOST", least >= most)
rows = Dataset.from_dict({{"text": [line["text"] for line in kept]}})
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows).train()
"""
MIXED, AS_TEXTS = "data-answers-of-other-rows", "data-numbers-are-texts"
SCRIPTS: tuple[Script, ...] = (
    script("labels of all rows", "current", LABELS, "OWN", MIXED),
    script("labels of all rows", "four", LABELS, "OWN", MIXED),
    script("labels after a shuffle", "current", SHUFFLED, "OWN", MIXED),
    script("turns as texts", "current", TURNS, "ORDER", AS_TEXTS),
    script("turns as texts", "four", TURNS, "ORDER", AS_TEXTS),
    script("points as texts", "current", POINTS, "BETTER", AS_TEXTS),
    script("votes as texts", "current", KEPT, "MOST", AS_TEXTS),
)


def files(drawn: random.Random) -> dict[str, list[dict[str, object]]]:
    """Reviews of words drawn, with a label of two."""
    rows: list[dict[str, object]] = []
    for _ in range(60):
        words = [drawn.choice(WORDS.split()) for _ in range(drawn.choice((7, 8, 9)))]
        rows.append({"text": f"The {' '.join(words)}.", "label": drawn.choice(("good", "bad")),
                     "words": len(words), "votes": str(drawn.randrange(1, 200))})  # fmt: skip
    return {"reviews.jsonl": rows}


def tables(drawn: random.Random) -> dict[str, str]:
    """Turns in no order, and two rated answers to each question."""

    def words(count: int) -> str:
        return " ".join(drawn.choice(WORDS.split()) for _ in range(count))

    turns = [f"{talk},{turn},{'AB'[turn % 2]},{words(6)}"
             for talk in range(10, 20) for turn in range(1, 13)]  # fmt: skip
    drawn.shuffle(turns)
    points = ["question,answer_a,answer_b,points_a,points_b"]
    for _ in range(40):
        one, other = drawn.sample(range(1, 30), 2)
        points += [f"What of the {words(4)}?,It is {words(6)}.,Some {words(6)}.,{one},{other}"]
    return {"turns.csv": "\n".join(["talk,turn,who,said", *turns]), "points.csv": "\n".join(points)}


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_labels_and_orders_are_compared_with_the_data(
    case: Script, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    for name, text in tables(random.Random(5)).items():
        (tmp_path / name).write_text(text)
    python = interpreter(case.environment)
    assert_shown_and_told(case, form, python, tmp_path, files(random.Random(7)))
