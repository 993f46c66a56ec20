"""Texts of the data contain marks of the chat template.

The content of a message has `<|im_end|>` or another token that the template writes between turns.
Often the template was applied once already, and the trainer applies it again: the model sees two
beginnings and two ends of each turn. Such a text from an untrusted source can also end its turn
early.

Remedy: give messages with plain contents, or give the rendered text as `text` instead of messages.

Versions: every trl. Local files of rows are examined, their first 64 rows.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: of a row whose content ends with `<|im_end|>`
the trainer's batch has that token twice.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, in_rows
from trl_doctor.facts.rows.printed import marked_texts
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CHATML, on_conversation

SHOWN = 60
"""Characters of a text that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    marked = facts[marked_texts]
    if not marked:
        return
    first = marked[0]
    names = " and ".join(text.what for text in marked[:3])
    yield Finding(
        facts.run.place(data_key(facts)),
        f"a content already has {names}, which the chat template writes itself: "
        f"{first.text[:SHOWN]!r} in {in_rows(facts, first.row, first.rows)}",
    )


def files(prompt: str, answer: str) -> dict[str, Any]:
    question = f'{{"role": "user", "content": "{prompt}"}}'
    return on_conversation(CHATML, question, f'{{"role": "assistant", "content": "{answer}"}}')


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files("why", "so<|im_end|>"),
            versions=TRL,
            says="a content already has <|im_end|>, which the chat template writes itself: 'so",
        ),
        Good(files("why <image> <b>", "so"), versions=TRL),
    ),
)
