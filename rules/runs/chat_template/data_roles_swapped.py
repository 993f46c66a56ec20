"""The roles of the conversations are swapped.

The conversations begin with the assistant and end with the user. A table of roles, or a test of the
sender's name, has the two the wrong way round: the model learns to ask, and with
`assistant_only_loss` the answers get no loss at all. No error is raised, and the loss falls.

Remedy: look at the table or the test that makes the roles, and print one converted row.

Versions: every trl; SFT. Local files of rows are examined, their first 64 rows, and in a
rehearsal the rows as the trainer gets them. Reported if nine of ten conversations, at least eight,
begin with the assistant after a system message, and end with the user. A greeting of the assistant,
to which the user answers, is no mistake as long as the assistant has the last word.

Seen: reproduced with SFT of trl 1.16.0 and `{"human": "assistant", "bot": "user"}`: with
`assistant_only_loss` exactly the questions have a loss.
"""

import json
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

FEWEST, MOST_OF = 8, 0.9
"""Conversations that are judged, at least, and the share of them that has to be swapped."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "sft":
        raise NotConcerned("this trainer does not train on whole conversations")
    roles = [found for row in facts[own_rows] if (found := _roles(row.get("messages")))]
    if len(roles) < FEWEST:
        raise NotConcerned("there are too few conversations")
    swapped = [found for found in roles if found[0] == "assistant" and found[-1] == "user"]
    if len(swapped) < MOST_OF * len(roles):
        return
    yield Finding(
        facts.run.place(data_key(facts)),
        f"{len(swapped)} of {len(roles)} conversations of {file_name(facts)} begin with the "
        "assistant and end with the user: the roles are swapped",
        evidence=(f"roles of the first one: {', '.join(swapped[0][:6])}",),
    )


def _roles(messages: Json) -> list[str]:
    """The roles of a conversation of user and assistant, without system messages; else none."""
    if not isinstance(messages, list):
        return []
    roles = [message.get("role") for message in messages if isinstance(message, dict)]
    spoken = [str(role) for role in roles if role not in ("system", "developer")]
    return spoken if set(spoken) == {"user", "assistant"} else []


def _rows(*roles: str, number: int = 8) -> str:
    row = {"messages": [{"role": role, "content": f"text {at}"} for at, role in enumerate(roles)]}
    return f"{json.dumps(row)}\n" * number


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
SWAPPED = ("system", "assistant", "user", "assistant", "user")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": _rows(*SWAPPED)},
            says="8 of 8 conversations of rows.jsonl begin with the assistant and end with the "
            "user: the roles are swapped",
        ),
        Bad({"run.json": SFT, "rows.jsonl": _rows("assistant", "user", number=20)}, says="swapped"),
        Good({"run.json": SFT, "rows.jsonl": _rows("user", "assistant")}),
        Good({"run.json": SFT, "rows.jsonl": _rows("assistant", "user", "assistant")}),
        Good({"run.json": SFT, "rows.jsonl": _rows(*SWAPPED, number=7)}),
        Good({"run.json": {**SFT, "trainer": "grpo"}, "rows.jsonl": _rows(*SWAPPED)}),
    ),
)
