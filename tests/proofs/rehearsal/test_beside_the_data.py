"""Rows that say the contrary of the data they were made of: real runs show it, the doctor tells it.

The marks at the ends of lines are those of `two_forms.many`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from laid import Interpreter
from two_forms.many import Script, assert_shown_and_told
from two_forms.script import by_environment

ARGS = """output_dir="out", per_device_train_batch_size=2, logging_steps=1, use_cpu=True,
                  max_steps=2, bf16=False, report_to="none", save_strategy="no",
                  learning_rate=1e-3"""
SORTED = f"""\
import pandas as pd
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

frame = pd.read_json("rows.jsonl", lines=True)
answers = frame["answer"]  #~bad
frame = frame.sort_values("level").reset_index(drop=True)
answers = frame["answer"]  #~good
rows = Dataset.from_dict({{"prompt": frame["question"] + "\\n", "completion": answers}})
own = dict(zip(frame["question"], frame["answer"]))
print("OWN", rows[0]["completion"] == own[rows[0]["prompt"].strip()])
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows).train()
"""
GOLD = f"""\
import json

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

questions = [json.loads(line) for line in open("questions.jsonl")]
answers = [json.loads(line) for line in open("answers.jsonl")]
by_id = {{line["id"]: line["answer"] for line in answers}}
gold = [line["answer"] for line in answers]  #~bad
gold = [by_id[line["id"]] for line in questions]  #~good
rows = [{{"prompt": line["question"], "answer": answer}} for line, answer in zip(questions, gold)]


def right(completions, answer, **columns):
    words = [set(text.split()) for text in completions]
    return [len(own & set(text.split())) - len(own) / 9 for own, text in zip(words, answer)]


print("OWN", rows[0]["answer"] == by_id[0])
args = GRPOConfig({ARGS}, num_generations=2, max_completion_length=8)
GRPOTrainer("models/healthy", args=args, reward_funcs=right,
            train_dataset=Dataset.from_list(rows)).train()
"""
VOTES = f"""\
import json

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

rows = []
for vote in map(json.loads, open("votes.jsonl")):
    best = vote["better"] % 2 + 1  #~bad
    best = vote["better"]  #~good
    rows.append({{"prompt": vote["prompt"], "chosen": vote[f"answer_{{best}}"],
                 "rejected": vote[f"answer_{{3 - best}}"]}})
first = json.loads(open("votes.jsonl").readline())
print("CHOSEN", rows[0]["chosen"] == first[f"answer_{{first['better']}}"])
trainer = DPOTrainer(
    AutoModelForCausalLM.from_pretrained("models/healthy"), args=DPOConfig({ARGS}),
    train_dataset=Dataset.from_list(rows),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
"""
RATED = f"""\
import pandas as pd
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

frame = pd.read_csv("rated.csv").sort_values("score")  #~bad
frame = pd.read_csv("rated.csv").sort_values("score", ascending=False)  #~good
groups = [group for _, group in frame.groupby("prompt", sort=False)]
pairs = [{{"prompt": group["prompt"].iloc[0], "chosen": group["answer"].iloc[0],
          "rejected": group["answer"].iloc[-1]}} for group in groups]
score = dict(zip(frame["answer"], frame["score"]))
print("BETTER", all(score[pair["chosen"]] > score[pair["rejected"]] for pair in pairs))
trainer = DPOTrainer(
    AutoModelForCausalLM.from_pretrained("models/healthy"), args=DPOConfig({ARGS}),
    train_dataset=Dataset.from_list(pairs),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
"""
AS_TEXTS = f"""\
import csv
from itertools import groupby

from datasets import Dataset
from trl import SFTConfig, SFTTrainer

lines = list(csv.DictReader(open("rated.csv")))
rows, best = [], 0
for prompt, group in groupby(lines, key=lambda line: line["prompt"]):
    answers = list(group)
    taken = max(answers, key=lambda line: line["score"])  #~bad
    taken = max(answers, key=lambda line: float(line["score"]))  #~good
    best += float(taken["score"]) == max(float(line["score"]) for line in answers)
    rows.append({{"prompt": prompt, "completion": taken["answer"]}})
print("BEST", best == len(rows))
SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=Dataset.from_list(rows)).train()
"""
WORST = f"""\
import pandas as pd
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

frame = pd.read_csv("rated.csv")
taken = frame.loc[frame.groupby("prompt")["score"].idxmin()]  #~bad
taken = frame.loc[frame.groupby("prompt")["score"].idxmax()]  #~good
texts = [f"User: {{row.prompt}} Assistant: {{row.answer}}<|im_end|>" for row in taken.itertuples()]
print("BEST", taken["score"].tolist() == frame.groupby("prompt")["score"].max().tolist())
SFTTrainer("models/healthy", args=SFTConfig({ARGS}),
           train_dataset=Dataset.from_dict({{"text": texts}})).train()
"""
LABELS = f"""\
import json

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import KTOConfig, KTOTrainer

votes = [json.loads(line) for line in open("votes.jsonl")]
rows = [{{"prompt": vote["prompt"], "completion": vote["answer_1"],
         "label": not vote["thumbs_up"]}}  #~bad
         "label": vote["thumbs_up"]}}  #~good
        for vote in votes]
print("LABEL", rows[0]["label"] == votes[0]["thumbs_up"])
trainer = KTOTrainer(
    AutoModelForCausalLM.from_pretrained("models/healthy"), args=KTOConfig({ARGS}),
    train_dataset=Dataset.from_list(rows),
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
)
trainer.train()
"""

INPUT = f"""\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="alpaca.json", split="train")


def written(row):
    asked = row["instruction"]  #~bad
    asked = row["instruction"] + "\\n\\n" + row["input"]  #~good
    return f"### Instruction: {{asked}}\\n\\n### Response: {{row['output']}}"


trainer = SFTTrainer("models/healthy", args=SFTConfig({ARGS}), train_dataset=rows,
                     formatting_func=written)
tok = trainer.processing_class
print("WHOLE", rows[0]["input"] in tok.decode(trainer.train_dataset[0]["input_ids"]))
trainer.train()
"""

TOKENS = f"""\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def load(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    model = AutoModelForCausalLM.from_pretrained(name)
    tokenizer.add_tokens(["<step>"])
    model.resize_token_embeddings(len(tokenizer))
    return model, tokenizer


model, tokenizer = load("models/healthy")
texts = [f"User: What of {{n}}? Assistant: <step> {{n}}.<|im_end|>" for n in range(16)]
rows = Dataset.from_dict({{"text": texts}})
trainer = SFTTrainer(model, args=SFTConfig({ARGS}), train_dataset=rows,
                     processing_class=tokenizer)  #~good
                     )  #~bad
new = tokenizer.convert_tokens_to_ids("<step>")
print("TOKEN", new in trainer.train_dataset[0]["input_ids"])
trainer.train()
trainer.save_model("out")
tokenizer.save_pretrained("out")
"""

GROUPS = f"""\
from datasets import Dataset
from torch.utils.data import DataLoader
from trl import GRPOConfig, GRPOTrainer


class Own(GRPOTrainer):
    def get_train_dataloader(self):
        loader = DataLoader(
            self.train_dataset,
            batch_size=self._train_batch_size * self.args.steps_per_generation,
            collate_fn=self.data_collator,
            shuffle=True,  #~bad
            sampler=self._get_train_sampler(),  #~good
        )
        return self.accelerator.prepare(loader)


def varied(prompts, completions, **columns):
    print("GROUPS", prompts[0] == prompts[1])
    return [float(len(set(text))) for text in completions]


rows = Dataset.from_dict({{"prompt": [f"What of {{n}}?" for n in range(16)]}})
args = GRPOConfig({ARGS}, num_generations=2, max_completion_length=8)
Own("models/healthy", args=args, reward_funcs=varied, train_dataset=rows).train()
"""


def script(name: str, environment: str, text: str, shown: str, rule: str) -> Script:
    return Script(
        f"{name}, {environment}", environment, text, ((f"{shown} False", f"{shown} True"),), (rule,)
    )


OTHER, REVERSED = "data-answers-of-other-rows", "data-pairs-are-reversed"
SCRIPTS = (
    script("answers before a sort", "current", SORTED, "OWN", OTHER),
    script("answers before a sort", "four", SORTED, "OWN", OTHER),
    script("gold answers by line", "current", GOLD, "OWN", OTHER),
    script("gold answers by line", "four", GOLD, "OWN", OTHER),
    script("a vote turned round", "current", VOTES, "CHOSEN", REVERSED),
    script("a sort turned round", "four", RATED, "BETTER", REVERSED),
    script("scores as texts", "current", AS_TEXTS, "BEST", "data-numbers-are-texts"),
    script("scores as texts", "four", AS_TEXTS, "BEST", "data-numbers-are-texts"),
    script("the worst answer", "current", WORST, "BEST", "data-worst-answer-learned"),
    script("the worst answer", "four", WORST, "BEST", "data-worst-answer-learned"),
    script("tokens", "current", TOKENS, "TOKEN", "tokenizer-of-trainer-lacks-tokens"),
    script("tokens", "four", TOKENS, "TOKEN", "tokenizer-of-trainer-lacks-tokens"),
    script("groups", "current", GROUPS, "GROUPS", "training-groups-mix-prompts"),
    script("groups", "four", GROUPS, "GROUPS", "training-groups-mix-prompts"),
    script("an input is left out", "current", INPUT, "WHOLE", "data-column-unused"),
    script("an input is left out", "four", INPUT, "WHOLE", "data-column-unused"),
    script("labels turned round", "current", LABELS, "LABEL", "data-labels-are-reversed"),
    script("labels turned round", "four", LABELS, "LABEL", "data-labels-are-reversed"),
)
WORDS = (
    "river engine garden teacher castle planet bridge winter doctor island market tower candle "
    "forest window farmer letter mirror copper signal harbor violin desert museum"
)


def files() -> dict[str, list[dict[str, object]]]:
    """Questions and answers of words drawn, so that none fits another."""
    drawn = random.Random(7)

    def words(count: int) -> str:
        return " ".join(drawn.choice(WORDS.split()) for _ in range(count))

    rows: list[dict[str, object]] = [
        {"id": at, "question": f"What of the {words(4)}?", "answer": f"It has a {words(6)}.",
         "level": drawn.random()}
        for at in range(40)
    ]  # fmt: skip
    answers = [{"id": row["id"], "answer": row["answer"]} for row in rows]
    drawn.shuffle(answers)
    votes: list[dict[str, object]] = [
        {"prompt": row["question"], "answer_1": row["answer"], "answer_2": f"Some {words(6)}.",
         "better": drawn.choice((1, 2)), "thumbs_up": drawn.random() < 0.5}
        for row in rows
    ]  # fmt: skip
    questions = [{"id": row["id"], "question": row["question"]} for row in rows]
    alpaca: list[dict[str, object]] = [
        {"instruction": "Sum it up.", "input": row["question"], "output": row["answer"]}
        for row in rows
    ]
    return {
        "alpaca.json": alpaca, "rows.jsonl": rows, "answers.jsonl": answers,
        "questions.jsonl": questions, "votes.jsonl": votes,
    }  # fmt: skip


def rated() -> str:
    """Two rated answers to each question, of which the better has two digits."""
    lines = ["prompt,answer,score"]
    for row in files()["votes.jsonl"]:
        lines += [f"{row['prompt']},{row['answer_1']},{len(lines) % 9 + 1}"]
        lines += [f"{row['prompt']},{row['answer_2']},{10 + len(lines) % 9}"]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_rows_are_compared_with_the_data_they_were_made_of(
    case: Script, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "rated.csv").write_text(rated())
    assert_shown_and_told(case, form, interpreter(case.environment), tmp_path, files())
