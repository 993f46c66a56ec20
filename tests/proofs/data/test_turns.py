"""Rows that a script has rendered itself: where a turn begins twice, or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter
from rehearsing import findings_by_rule, rehearsal
from reports.report import PAIRS, Report, rows, script, turn

TWICE, OUTSIDE = "step-rows-open-turn-twice", "step-rows-have-text-outside-turns"
HEAD = "<|im_start|>assistant\n"
TOKENIZER = """\
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("model")
def rendered(messages, **more):
    return tokenizer.apply_chat_template(messages, tokenize=False, **more)
"""
PREFERENCES = rows(*({"question": a, "good": b, "bad": "No."} for a, b in PAIRS))
PAIRS_OF = """\
def pair(row):
    question = [{"role": "user", "content": row["question"]}]
    return {"prompt": rendered(question, PROMPT), "chosen": ANSWER(row["good"]),
            "rejected": ANSWER(row["bad"])}
"""
TALK = "lambda text: rendered([{'role': 'assistant', 'content': text}])"
BARE = "lambda text: text + '<|im_end|>\\n'"
CONVERSATIONS = rows(*({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
SHOWS = """
trainer.train()
row = trainer.train_dataset[0]
names = [name for name in ("prompt_input_ids", "chosen_input_ids", "input_ids") if name in row]
ids = [id for name in names for id in row[name]]
ids = ids or trainer.data_collator([row])["input_ids"][0].tolist()
print("ROW", repr(trainer.processing_class.decode(ids)))
"""


def preferences(prompt: str, answer: str) -> dict[str, str]:
    """DPO on prompts and answers that the script renders."""
    pair = PAIRS_OF.replace("PROMPT", prompt).replace("ANSWER", f"({answer})")
    data = "load_dataset('json', data_files='rows.jsonl', split='train').map(pair)"
    given = {"processing_class": "tokenizer"}
    text = script("DPO", {}, given, before=TOKENIZER + pair, after=SHOWS, data=data)
    return {"train.py": text, "rows.jsonl": PREFERENCES}


def conversations(contents: str) -> dict[str, str]:
    """SFT on messages whose contents are made of the rows' messages."""
    render = (
        "def again(row):\n"
        f"    return {{'messages': [dict(m, content={contents}) for m in row['messages']]}}\n"
    )
    data = "load_dataset('json', data_files='rows.jsonl', split='train').map(again)"
    given = {"processing_class": "tokenizer"}
    text = script("SFT", {}, given, before=TOKENIZER + render, after=SHOWS, data=data)
    return {"train.py": text, "rows.jsonl": CONVERSATIONS}


CASES = {
    "prompt and answer rendered": (preferences("add_generation_prompt=True", TALK), TWICE),
    "no beginning of the answer": (preferences("add_generation_prompt=False", BARE), OUTSIDE),
    "as they should be": (preferences("add_generation_prompt=True", BARE), ""),
    "rendered before": (conversations("rendered([m])"), TWICE),
    "plain messages": (conversations("m['content']"), ""),
}


@pytest.mark.parametrize("environment", ["current", "grpo-first"])
@pytest.mark.parametrize("name", CASES)
def test_turns_of_rows(
    name: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    files, rule = CASES[name]
    Report("", "", "", "", files, {}).lay(tmp_path, healthy=True, python=python)
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    row = process.stdout.partition("ROW ")[2].replace("\\n", "\n")
    again = bool(re.search(r"<\|im_start\|>(user|assistant)\n\s*<\|im_start\|>", row))
    assert (again, "<|im_end|>\nForty" in row) == (rule == TWICE, rule == OUTSIDE)
    _, report = rehearsal(tmp_path, python, "train.py")
    findings = findings_by_rule(report)
    assert {name for name in (TWICE, OUTSIDE) if name in findings} == ({rule} if rule else set())
    if rule:
        assert findings[rule][0]["severity"] == "warning"
        assert HEAD.strip() in findings[rule][0]["message"] or rule == OUTSIDE
