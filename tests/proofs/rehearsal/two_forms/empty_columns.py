"""Scripts whose answers do not arrive: from an empty column, the wrong column or the wrong end."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

WORDS = "river engine garden teacher castle planet bridge winter doctor island market tower"
THINGS = WORDS.split()
FACTS = [{"instruction": f"Tell me one thing about the {thing}.", "input": f"The {thing} of town.",
          "output": f"It has stood here for {number + 3} years, says the guide."}
         for number, thing in enumerate(THINGS)]  # fmt: skip
RATED = [{"prompt": f"What is {thing} number one?",
          "replies": [f"I never saw a {thing}.", f"A {thing} by the lake, of course.", "What?"],
          "scores": [2.5, 9.0, 1.0]} for thing in THINGS]  # fmt: skip
SUMS = [{"prompt": f"What is {n} plus one?", "solution": str(n + 1)} for n in range(20, 32)]


def _lines(rows: list[dict[str, object]]) -> dict[str, str]:
    return {"rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}


LEFT_OUT = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")

def text(row):
    answer = row["input"]  #~bad
    answer = row["output"]  #~good
    return {"text": f"{row['instruction']}\\n{row['input']}\\n### Response:\\n{answer}"}

rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.map(text, remove_columns=rows.column_names)
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
learned = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
print("LEARNED", sum("says the guide" in text for text in learned))
"""
GET = LEFT_OUT.replace('row["input"]  #', 'row.get("response", "")  #')
ALONE = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.map(lambda row: {"text": f"{row['instruction']} {row['output']}"})  #~good
args = SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no",
                 dataset_text_field="instruction",  #~bad
)
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows,
                     processing_class=tokenizer)
trainer.train()
learned = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
print("LEARNED", sum("says the guide" in text for text in learned))
"""
LOWEST = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import DPOConfig, DPOTrainer

def pair(row):
    rated = sorted(zip(row["scores"], row["replies"]))  #~bad
    rated = sorted(zip(row["scores"], row["replies"]), reverse=True)  #~good
    return {"chosen": " " + rated[0][1], "rejected": " " + rated[-1][1]}

rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.map(pair, remove_columns=["scores", "replies"])
args = DPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, use_cpu=True,
                 bf16=False, report_to="none", save_strategy="no")
trainer = DPOTrainer(model="models/healthy", args=args, train_dataset=rows,
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()
print("CHOSEN", rows[0]["chosen"])
"""
EMPTY = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

def score(completions, gold, **kwargs):
    return [1.0 if answer in text else 0.0 for text, answer in zip(completions, gold)]

rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows.map(lambda row: {"gold": row.get("answer") or ""})  #~bad
rows = rows.map(lambda row: {"gold": row.get("solution") or ""})  #~good
args = GRPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4, num_generations=4,
                  max_completion_length=8, use_cpu=True, bf16=False, report_to="none",
                  save_strategy="no")
trainer = GRPOTrainer(model="models/healthy", args=args, train_dataset=rows, reward_funcs=score)
trainer.train()
print("BANANA", score(["banana"], rows["gold"][:1]))
"""
RESUME = """\
import os
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback, TrainerState
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

seen = []

class Seen(TrainerCallback):
    def on_step_begin(self, args, state, control, **kwargs):
        seen.append(state.global_step)

model = AutoModelForCausalLM.from_pretrained("models/healthy")
model.save_pretrained("out/checkpoint-2")  # as a job before this one leaves it
TrainerState(global_step=2, max_steps=4, epoch=0.5, train_batch_size=2).save_to_json(
    "out/checkpoint-2/trainer_state.json")
last = get_last_checkpoint("out") if os.path.isdir("out") else None
args = SFTConfig(output_dir="out", max_steps=4, per_device_train_batch_size=2, use_cpu=True,
    bf16=False, report_to="none", save_strategy="no", learning_rate=1e-3,
    resume_from_checkpoint=last,  #~bad
)
rows = Dataset.from_list([{"text": f"The sum of {n} and one is {n + 1}."} for n in range(8)])
trainer = SFTTrainer(model=model, args=args, train_dataset=rows, callbacks=[Seen()],
                     processing_class=AutoTokenizer.from_pretrained("models/healthy"))
trainer.train()  #~bad
trainer.train(resume_from_checkpoint=last)  #~good
print("STEPS", seen)
"""

SCRIPTS = tuple(
    TwoForms(name, environment, rule, script, bad, good, "warning", says, _lines(rows))
    for name, environment, rule, script, bad, good, says, rows in (
        ("another column for the answer", "current", "data-answers-left-out", LEFT_OUT,
         "LEARNED 0", "LEARNED 12", "the column output of the data is in none of 12 rows", FACTS),
        ("an answer by a name that is not there", "four", "data-answers-left-out", GET,
         "LEARNED 0", "LEARNED 12", "which end with", FACTS),
        ("the column of questions alone", "current", "data-answers-left-out", ALONE,
         "LEARNED 0", "LEARNED 12", "names the column instruction, and the column output", FACTS),
        ("the column of questions alone, four", "four", "data-answers-left-out", ALONE,
         "LEARNED 0", "LEARNED 12", "names the column instruction, and the column output", FACTS),
        ("scores in a list beside the answers", "current", "data-pairs-are-reversed", LOWEST,
         "CHOSEN  What?", "CHOSEN  A river by the lake", "chooses the answer with the lower scores",
         RATED),
        ("a column that is always empty", "current", "reward-reads-empty-column", EMPTY,
         "BANANA [1.0]", "BANANA [0.0]", "score reads gold, which is empty in all of the", SUMS),
        ("a column that is always empty, four", "four", "reward-reads-empty-column", EMPTY,
         "BANANA [1.0]", "BANANA [0.0]", "score reads gold, which is empty in all of the", SUMS),
        ("a checkpoint in the config alone", "current", "resume-argument-never-read", RESUME,
         "STEPS [0, 1, 2, 3]", "STEPS [2, 3]", "and train() does not", SUMS),
    )
)  # fmt: skip
