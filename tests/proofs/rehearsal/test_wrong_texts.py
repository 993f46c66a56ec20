"""Scripts whose rows are not what they look like: real runs show it, the doctor says it.

The marks at the ends of lines are those of `two_forms.many`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from two_forms.many import Script, assert_shown_and_told
from two_forms.script import by_environment

HEAD = """\
import json, random
import pandas as pd
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tok = AutoTokenizer.from_pretrained("models/healthy")
"""
TRAIN = """
args = SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, logging_steps=1,
                 use_cpu=True, bf16=False, report_to="none", save_strategy="no")
trainer = SFTTrainer(model="models/healthy", args=args, train_dataset=rows, processing_class=tok)
"""
ROW = """
row = trainer.train_dataset[0]["input_ids"]
print("ROW", repr(tok.decode(row)))
trainer.train()
trainer.save_model("final")
"""
CHANGES = f"""{HEAD}
rows = load_dataset("json", data_files="rows.jsonl", split="train")
for row in rows:  #~bad
    row["question"] = "Please: " + row["question"]  #~bad
rows = rows.map(lambda row: {{"question": "Please: " + row["question"]}})  #~good

table = rows.to_pandas()
table["answer"].replace("Answer: 0", "Answer: none")  #~bad
table["answer"] = table["answer"].replace("Answer: 0", "Answer: none")  #~good

asked = [row["question"] for row in rows if not row["question"].endswith("0?")]
answers = table["answer"].tolist()  #~bad
answers = [row["answer"] for row in rows if not row["question"].endswith("0?")]  #~good
pairs = list(zip(asked, answers))
print("PAIRED", pairs[-1], "FIRST", table["answer"][0], rows[0]["question"])

numbers = [row["id"] for row in rows]
marks = [row["id"] for row in rows]
random.Random(1).shuffle(numbers)  #~bad
print("MOVED", list(zip(numbers, marks))[:3])


def text(pair):
    question, answer = pair
    answer = answer.lstrip("Answer: ")  #~bad
    answer = answer.removeprefix("Answer: ")  #~good
    start = "### Question: {{question}} "  #~bad
    start = f"### Question: {{question}} "  #~good
    return {{"text": start + answer}}


rows = Dataset.from_list([text(pair) for pair in [*pairs, ("Where?", "Answer: near Rome")]])
print("TEXT", rows[-1]["text"])
{TRAIN}
tok.chat_template = "{{{{ messages[0]['content'] }}}}"  #~bad
print("LATE", len(tok.chat_template) < 60)
{ROW}"""
SIGNS = f"""{HEAD}
file = open("umlauts.jsonl", encoding="latin-1")  #~bad
file = open("umlauts.jsonl", encoding="utf-8")  #~good
rows = Dataset.from_list([json.loads(line) for line in file])
rows = rows.map(lambda row: {{"text": "Where is it?" + r"\\nIt is in " + row["city"]}})  #~bad
rows = rows.map(lambda row: {{"text": "Where is it?\\nIt is in " + row["city"]}})  #~good
{TRAIN}{ROW}"""
OPEN = f"""{HEAD}
rows = Dataset.from_list([{{"number": number}} for number in range(8)])


def rendered(row):
    talk = [{{"role": "user", "content": f"What is {{row['number']}}?"}},
            {{"role": "assistant", "content": f"It is {{row['number']}}."}}]
    text = tok.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)  #~bad
    text = tok.apply_chat_template(talk, tokenize=False)  #~good
    return {{"text": text}}


rows = rows.map(rendered, remove_columns=["number"])
{TRAIN}{ROW}"""


SCRIPTS = (
    Script(
        "changes",
        "current",
        CHANGES,
        (
            ("('What is 7?', 'Answer: 6')", "('Please: What is 7?', 'Answer: 7')"),
            ("FIRST Answer: 0 What is 0?", "FIRST Answer: none Please: What is 0?"),
            ("{question} ar Rome", "Where? near Rome"),
            ("LATE True", "LATE False"),
        ),
        ("data-rows-changed-in-loop", "data-result-thrown-away", "data-columns-out-of-step",
         "script-strips-letters", "script-text-lacks-f", "tokenizer-changed-after-trainer"),
    ),
    Script(
        "signs",
        "current",
        SIGNS,
        (("\\\\nIt is in KÃ¶ln", "\\nIt is in Köln"),),
        ("data-texts-decoded-wrongly", "data-texts-have-escapes"),
    ),
    Script(
        "open turn",
        "four",
        OPEN,
        (("It is 0.<|im_end|>\\n<|im_start|>assistant\\n", "It is 0.<|im_end|>\\n"),),
        ("step-rows-end-with-open-turn",),
    ),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_the_real_rows_are_wrong_and_the_doctor_says_why(
    case: Script, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    rows = [{"id": n, "question": f"What is {n}?", "answer": f"Answer: {n}"} for n in range(8)]
    umlauts = [{"city": "Köln"}, {"city": "Zürich"}, {"city": "Łódź"}]
    files = {"rows.jsonl": rows, "umlauts.jsonl": umlauts}
    assert_shown_and_told(case, form, interpreter(case.environment), tmp_path, files)
