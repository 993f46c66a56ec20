"""Rows that call tools, of which a script loses a part, in a wrong and in a healthy form."""

from __future__ import annotations

import json

from two_forms.script import TwoForms

SFT = """\
from pathlib import Path

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="calls.jsonl", split="train")
BEFORE
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.chat_template = Path("tools.jinja").read_text()
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    processing_class=tokenizer,
    train_dataset=dataset,
    args=SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                   bf16=False, report_to="none"),
)
trainer.train()
text = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
words = ("Finds a street", "call find_street", "at the river,")
print("HAS", *(word for word in words if word in text))
"""
TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}{% for m in messages %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}{% for call in m.tool_calls or [] %}"
    "call {{ call.function.name }}{% endfor %}<|im_end|>\n{% endfor %}"
)
TAKEN = """\
dataset = dataset.map(
    lambda row: {"messages": row["messages"]},
    remove_columns=dataset.column_names,  #~bad
)
"""
COPIED = """\


def build(row):
    talk = []
    for m in row["messages"]:
        talk.append(dict(role=m["role"], content=m["content"]))  #~bad
        talk.append({key: m[key] for key in m if m[key]})  #~good
    return {"messages": talk}


dataset = dataset.map(build)
"""
CHOSEN = """\
dataset = dataset.map(lambda row: {"messages": [
    m for m in row["messages"]
    if m["role"] in ("user", "assistant")  #~bad
]})
"""
CONTEXT = """\
def grounded(row):
    question, _, found, answer = [message["content"] for message in row["messages"]]
    talk = [question, found, answer]  #~bad
    talk = [found + " " + question, answer]  #~good
    roles = ["user", "assistant"]  #~good
    roles = ["user", "tool", "assistant"]  #~bad
    return {"messages": [dict(role=role, content=text) for role, text in zip(roles, talk)]}


dataset = dataset.map(grounded, remove_columns=["tools"])
"""
TOOL = {
    "type": "function",
    "function": {
        "name": "find_street",
        "description": "Finds a street of the town",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
ROWS = [
    {
        "messages": [
            {"role": "user", "content": f"Where do I find street {number}?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "type": "function",
                        "function": {"name": "find_street", "arguments": {"name": str(number)}},
                    }
                ],
            },
            {"role": "tool", "content": f"at the river, house {number}"},
            {"role": "assistant", "content": f"You find street {number} near the water."},
        ],
        "tools": [TOOL],
    }
    for number in range(12)
]
ALL = "HAS Finds a street call find_street at the river,"


def _form(name: str, rule: str, before: str, bad: str, says: str, good: str = ALL) -> TwoForms:
    files = {
        "calls.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS),
        "tools.jinja": TEMPLATE,
    }
    script = SFT.replace("BEFORE", before)
    return TwoForms(name, "current", rule, script, bad, good, "warning", says, files)


SCRIPTS = (
    _form("tools taken away", "data-column-unused", TAKEN, "HAS call find_street at the river,",
          "the tools in the column tools of the data are in none of 12 rows that call them"),
    _form("calls lost", "data-tool-calls-lost", COPIED, "HAS Finds a street at the river,",
          "the calls of tools of 12 rows are not in what is trained on"),
    _form("results lost", "data-tool-calls-lost", CHOSEN, "HAS Finds a street call find_street",
          "what tools answered in 12 rows is not in what is trained on"),
    _form("answers as context", "data-tool-calls-lost", CONTEXT, "HAS at the river,",
          "the calls of tools of 12 rows are not in what is trained on", "HAS at the river,"),
)  # fmt: skip
