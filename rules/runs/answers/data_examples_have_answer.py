"""The examples in a prompt have the question's own answer.

Prompts begin with some solved examples, and one of them is the very question that the prompt ends
with. Often the examples were chosen among all rows, and the nearest one to a row is the row itself.
The model learns to copy the answer, and rewards are high from the first step on. No error is
raised.

Remedy: leave the row itself out when you choose its examples, or take them from another split.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them. Only prompts of which more than half are so are reported.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: the trainer gets prompts that have their
question twice, the first time with its answer.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule

COLUMNS = ("completion", "chosen", "solution", "answer", "ground_truth", "gold", "final_answer")
CUE = re.compile(r"[\w ]{1,20}:\s*$|<[\w|]+>\s*$")
"""A line after the question that only asks for the answer: `Answer:`."""

BETWEEN = r"\W{0,40}(?:\w{1,20}\W{1,20}){0,5}"
SHORTEST = 8
"""Letters of a question that is found twice."""


def check(facts: Facts) -> Iterator[Finding]:
    rows = facts[own_rows]
    if not any(row.get("prompt") for row in rows):
        raise NotConcerned("the rows have no prompts")
    having = [number for number, row in enumerate(rows, 1) if _is_given_away(row)]
    if len(rows) > 1 and len(having) * 2 > len(rows):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the question of {len(having)} of {len(rows)} rows of {file_name(facts)} is also one "
            f"of the examples in its prompt, with its answer; first in row {having[0]}",
        )


def _is_given_away(row: dict[str, Json]) -> bool:
    text = _text(row.get("prompt")).rstrip()
    cell = next((row[column] for column in COLUMNS if row.get(column)), None)
    answer = _text(cell).rpartition("####")[2].strip()
    lines = text.splitlines()
    while lines and (not lines[-1].strip() or CUE.fullmatch(lines[-1].strip())):
        lines.pop()
    question = lines.pop().strip() if lines else ""
    before = "\n".join(lines)
    if len(question) < SHORTEST or not answer or question not in before:
        return False
    return bool(re.search(rf"{re.escape(question)}{BETWEEN}{re.escape(answer)}(?!\w)", before))


def _text(cell: Json) -> str:
    """A cell, or the contents of its messages, one after the other."""
    if isinstance(cell, list):
        return "\n".join(str(turn.get("content") or "") for turn in cell if isinstance(turn, dict))
    return str(cell) if isinstance(cell, str | int | float) and not isinstance(cell, bool) else ""


GRPO: dict[str, Json] = {"trainer": "grpo", "dataset_name": "rows.jsonl"}
ASKS = '{{"prompt": "{}Q: {} and {} is?\\nA:", "answer": "{}"}}\n'
SOLVED = "Q: {} and {} is?\\nA: The answer is {}.\\n\\n"
CHAT = (
    '{{"prompt": [{{"role": "user", "content": "What is {}?"}}, {{"role": "assistant", '
    '"content": "It is {}."}}, {{"role": "user", "content": "What is {}?"}}], '
    '"completion": [{{"role": "assistant", "content": "It is {}."}}]}}\n'
)


def _rows(own: bool) -> str:
    rows = ((n, n if own else n + 5) for n in range(1, 5))
    return "".join(ASKS.format(SOLVED.format(m, m, 2 * m), n, n, 2 * n) for n, m in rows)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": GRPO, "rows.jsonl": _rows(own=True)},
            says="the question of 4 of 4 rows of rows.jsonl is also one of the examples",
        ),
        Bad(
            {
                "run.json": {**GRPO, "trainer": "sft"},
                "rows.jsonl": "".join(CHAT.format(*"abab"[n : n + 1] * 4) for n in range(4)),
            },
            says="with its answer; first in row 1",
        ),
        Good({"run.json": GRPO, "rows.jsonl": _rows(own=False)}),
        Good({"run.json": GRPO, "rows.jsonl": ASKS.format("", 2, 2, 4) * 2}),
        Good({"run.json": GRPO, "rows.jsonl": ASKS.format("Solve Q: 2 and 2 is?\\n", 2, 2, 4) * 2}),
        Good(
            {
                "run.json": {**GRPO, "trainer": "sft"},
                "rows.jsonl": CHAT.format("a", "b", "c", "d") * 2,
            }
        ),
    ),
)
