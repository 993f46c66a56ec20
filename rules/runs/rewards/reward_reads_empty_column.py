"""A reward function reads a column that is empty in every row.

The function compares completions with a column of the rows, and the column has no text in any of
them: a `map` reads a name that the data do not have (`row.get("answer", "")`), or a join has lost
the values. The run does not fail. The function gives the same reward to all completions: each text
contains an empty text, and no text is equal to it.

Remedy: take the column of the data that has the answers, with `row["answer"]`, which fails where
the name is wrong, and look at a row before you train.

Versions: every trl with GRPOTrainer or RLOOTrainer. Local files of rows are examined, their
first 64 rows, and in a rehearsal the rows as the trainer gets them, from 8 rows on. Nothing is
reported if any reward function reads a column that has values: rows of several tasks have empty
columns on purpose.

Seen: reproduced with RLOO of trl 1.16.0 and GRPO of 0.24.0: the rows have `solution`, the script
reads `row.get("answer") or ""`, and `expected in reply` rewards every completion with 1.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.functions.signatures import Signature
from trl_doctor.facts.rewards.calls import passed_names
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.scripts import LOCAL, script

FEWEST = 8
"""Rows from which on a column is judged."""

KEPT = ("prompt", "completion")
"""Columns that TRL keeps from reward functions."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO call reward functions")
    rows = facts[own_rows]
    if len(rows) < FEWEST:
        raise NotConcerned("there are too few rows to judge a column")
    read = [(one, _columns(facts, one, rows)) for one in facts[reward_signatures]]
    if any(_has(row.get(name)) for _, names in read for name in names for row in rows):
        return
    for signature, names in read:
        if names:
            yield Finding(
                signature.place,
                f"{signature.name} reads {names[0]}, which is empty in all of the {len(rows)} rows "
                "that were read: every completion is compared with nothing",
            )


def _columns(facts: Facts, signature: Signature, rows: list[dict[str, Json]]) -> list[str]:
    """The columns of the rows that a function reads, without those that TRL makes."""
    own = {name for row in rows for name in row} - {*facts[passed_names].names, *KEPT}
    return [name for name in (*signature.reads, *signature.looked_up) if name in own]


def _has(value: Any) -> bool:
    """Whether a cell has anything: 0 and False are values."""
    return bool(value.strip()) if isinstance(value, str) else value not in (None, [], {})


def _files(row: str, takes: str = "gold", number: int = 8) -> dict[str, str]:
    body = f"return [1.0 for _ in zip(completions, {takes})]"
    before = f"def score(completions, {takes}, **kwargs):\n    {body}\n"
    files = script("GRPO", "model='m', reward_funcs=score", before=before, rows=LOCAL)
    return {**files, "rows.jsonl": f"{row}\n" * number}


def _unread() -> dict[str, str]:
    """A function that takes a column and does nothing with it."""
    files = _files(EMPTY)
    return {**files, "train.py": files["train.py"].replace("zip(completions, gold)", "completions")}


EMPTY, TRL = '{"prompt": "a", "gold": "", "level": 1}', {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files(EMPTY), "train.py", TRL,
            says="score reads gold, which is empty in all of the 8 rows that were read"),
        Bad(_files(EMPTY.replace('""', "[]")), "train.py", TRL, says="score reads gold"),
        Good(_files(EMPTY, number=7), "train.py", TRL),
        Good(_files(EMPTY, "gold, level"), "train.py", TRL),
        Good(_files(EMPTY.replace('""', "0")), "train.py", TRL),
        Good(_files(EMPTY.replace('""', '"4"')), "train.py", TRL),
        Good(_files(EMPTY, "prompts"), "train.py", TRL),
        Good(_unread(), "train.py", TRL),
    ),
)  # fmt: skip
