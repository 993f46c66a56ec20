"""Packing cuts conversations apart.

With `packing_strategy: wrapped` all rows are joined into one stream, which is cut every
`max_length` tokens. Most packed rows begin in the middle of a conversation: the model learns
answers whose question is in another row. This is meant for plain texts. No error is raised.

Remedy: leave `packing_strategy` out (`bfd` keeps each row whole), or set `packing: false`.

Versions: trl from 0.17.0 on. Reported for rows with messages, and for prompts with completions.

Seen: reproduced with SFT of trl 0.19.1, 0.24.0 and 1.16.0 on short conversations with `max_length:
256`: nearly all packed rows begin inside of one; without `packing_strategy` (0.24.0 and 1.16.0)
each begins with one.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY = "packing_strategy"
ANSWERED = ("messages", "conversations", "completion")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "sft" or not run.flag("packing"):
        raise NotConcerned("the run packs no rows")
    if run.arguments.get(KEY) != "wrapped":
        return
    row = facts[own_rows][0]
    column = next((name for name in ANSWERED if isinstance(row.get(name), str | list)), None)
    if column is None:
        raise NotConcerned("the rows are plain texts")
    edit = Remove(run.place(KEY).file, pointer(KEY))
    yield Finding(
        run.place(KEY),
        f"{KEY} is wrapped: rows with {column} are joined and cut every max_length tokens: most "
        "packed rows begin in the middle of one",
        fix=Fix(f"take out {KEY}", (edit,), safe=False),
    )


RUN: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl", "packing": True}
ROW = '{"prompt": "Why?", "completion": " So."}\n'


def _files(strategy: str, rows: str = ROW) -> dict[str, Json]:
    return {"run.json": {**RUN, KEY: strategy}, "rows.jsonl": rows}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files("wrapped"),
            says="packing_strategy is wrapped: rows with completion are joined and cut every",
            fixed={**_files("bfd"), "run.json": RUN},
        ),
        Good(_files("bfd")),
        Good(_files("wrapped", '{"text": "The sea was calm."}\n')),
        Good(_files("wrapped", '{"text": "The sea was calm.", "completion": 0.6}\n')),
    ),
)
