"""Each row contains the rows before it.

A conversation begins with all turns of the row before it, and so does that one. This happens if a
script appends to one list for all rows, for example to a system prompt that is defined once. The
rows become longer and longer until the length limit cuts them, and the first examples are learnt
as often as there are rows. There is no error.

Remedy: make a new list for each row: `messages = [*SYSTEM, user, assistant]` or `copy.deepcopy`.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them.

Seen: reproduced with SFT of trl 1.16.0: `messages = BASE; messages.append(…)` gives rows of 3, 5, 7
and 9 messages.
"""

import itertools
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule

COLUMNS = ("messages", "prompt", "text")
LEAST = 4
"""Rows in a row, each of which begins with the one before: turns of one talk are fewer rows."""

SHARE = 0.9


def check(facts: Facts) -> Iterator[Finding]:
    rows = facts[own_rows]
    columns = [name for name in COLUMNS if rows[0].get(name)]
    if not columns:
        raise NotConcerned("the rows have no texts or messages")
    for name in columns:
        cells = [row.get(name) for row in rows]
        pairs = list(itertools.pairwise(cells))
        growing = sum(_begins_with(later, earlier) for earlier, later in pairs)
        if growing >= LEAST and growing >= SHARE * len(pairs):
            yield Finding(
                facts.run.place(data_key(facts)),
                f"{name} of each row of {file_name(facts)} begins with the whole row before it: "
                f"{_size(cells[0])}, {_size(cells[1])}, {_size(cells[2])} …",
                remedy="make a new list for each row",
            )


def _begins_with(later: Json, earlier: Json) -> bool:
    if isinstance(later, str) and isinstance(earlier, str):
        return len(later) > len(earlier) > 0 and later.startswith(earlier)
    if isinstance(later, list) and isinstance(earlier, list):
        return len(later) > len(earlier) > 0 and later[: len(earlier)] == earlier
    return False


def _size(cell: Json) -> str:
    noun = "messages" if isinstance(cell, list) else "characters"
    return f"{len(cell) if isinstance(cell, str | list) else 0} {noun}"


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
TURN = '{"role": "user", "content": "%d"}, {"role": "assistant", "content": "so"}'


def _conversations(*turns: list[int]) -> str:
    cells = (", ".join(TURN % number for number in talk) for talk in turns)
    return "".join(f'{{"messages": [{cell}]}}\n' for cell in cells)


GROWING = [list(range(1, last)) for last in range(2, 8)]
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": _conversations(*GROWING)},
            says="begins with the whole row before it: 2 messages, 4 messages, 6 messages",
        ),
        Good({"run.json": SFT, "rows.jsonl": _conversations([1], [2], [3], [4], [5], [6])}),
        Good(
            {
                "run.json": SFT,
                "rows.jsonl": _conversations(*GROWING[:3], [7], [7, 8], [7, 8, 9], [10]),
            }
        ),
    ),
)
