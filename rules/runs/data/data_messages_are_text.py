"""A cell holds a conversation as text.

A CSV file, pandas and `str()` write a list of messages as text: `"[{'role': 'user', …}]"`. The
trainer takes it for plain text. No chat template is applied, and the model learns brackets, quotes
and the word role. No error is raised.

Remedy: read the cell before training: `rows.map(lambda row: {"messages":
ast.literal_eval(row["messages"])})`, or `json.loads` if it is JSON.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them.

Seen: reproduced with DPO of trl 0.12.2 and SFT of 0.24.0: the tokens of a prompt begin with
`[{'role': 'user'`.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, in_rows, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule

COLUMNS = ("messages", "prompt", "completion", "chosen", "rejected", "text")
LISTED = re.compile(r"""\s*\[\s*\{\s*['"](?:role|content)['"]\s*:""")
SHOWN = 40
"""Characters of a cell that a finding shows."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    rows = facts[own_rows]
    for column in COLUMNS:
        cells = [(number, row.get(column)) for number, row in enumerate(rows, 1)]
        texts = [(number, cell) for number, cell in cells
                 if isinstance(cell, str) and LISTED.match(cell)]  # fmt: skip
        if texts:
            number, cell = texts[0]
            yield Finding(
                facts.run.place(data_key(facts)),
                f"{column} holds messages as text, so no chat template is applied: "
                f"{cell[:SHOWN]!r}… in {in_rows(facts, number, len(texts))}",
            )
            return


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
TEXT = """{"messages": "[{'role': 'user', 'content': 'Why?'}]"}\n"""
LIST = """{"messages": [{"role": "user", "content": "Why?"}]}\n"""
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": TEXT * 2},
            says="messages holds messages as text, so no chat template is applied",
        ),
        Good({"run.json": SFT, "rows.jsonl": LIST}),
        Good({"run.json": SFT, "rows.jsonl": '{"text": "[1] The role of water"}\n'}),
    ),
)
