"""Messages of the rows have no role or no content.

TRL treats a column as a conversation if its messages have `role` and `content`. Messages with other
keys, such as `from` and `value` of ShareGPT, are not a conversation for TRL: the run fails while
the data are prepared, with an error that names neither ("No columns in the dataset match the
model's forward method signature", "'list' object has no attribute 'endswith'").

Remedy: name the keys of each message `role` and `content`, and the roles `system`, `user` and
`assistant`.

Versions: every trl; SFT from 0.24.0 on (0.15.2 renames `from` and `value` itself, the releases
between were not tried). SFT also takes `from` and `value` in a column `conversations`. Local JSON
files are examined, their first 64 rows, and in a rehearsal the first rows that the script gives its
trainer.

Seen: reproduced with GRPO and DPO of trl 0.15.2, 0.24.0 and 1.16.0 and with SFT of the last two:
each fails, and trains with `role` and `content`.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

COLUMNS = ("messages", "prompt", "completion", "chosen", "rejected")
RENAMES = Version("0.24.0")
"""The first release of which it is known that SFT takes only `role` and `content` in `messages`."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    renames = known_trainer(facts) == "sft" and facts.environment.known_version("trl") < RENAMES
    for number, row in enumerate(facts[own_rows], 1):
        for column in COLUMNS:
            keys = _unnamed(row.get(column))
            if keys and not (renames and {"from", "value"} <= set(keys)):
                yield Finding(
                    facts.run.place(data_key(facts)),
                    f"row {number} of {file_name(facts)}: a message in {column} has "
                    f"{', '.join(keys)}, where the trainer reads role and content",
                )
                return


def _unnamed(value: Json) -> list[str]:
    """The keys of the first message that has no role, or no content; empty if all have both."""
    for message in value if isinstance(value, list) else ():
        if not isinstance(message, dict):
            return []
        keys = [key for key, value in message.items() if value is not None]
        if keys and ("role" not in keys or not {"content", "tool_calls"} & set(message)):
            return keys
    return []


def files(trainer: str, rows: str) -> Files:
    run: dict[str, Json] = {"trainer": trainer, "dataset_name": "rows.jsonl"}
    return {"run.json": run, "rows.jsonl": rows}


SHARED = '{"%s": [{"from": "human", "value": "Why?"}]}\n'
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=(
        r"No columns in the dataset match|has no attribute 'endswith'|text input must be of type"
        r"|UndefinedError|KeyError: '(text|role|content)'|TextEncodeInput"
    ),
    examples=(
        Bad(
            files("sft", SHARED % "messages"),
            versions={"trl": "1.16.0"},
            says="row 1 of rows.jsonl: a message in messages has from, value, where the trainer "
            "reads role and content",
        ),
        Bad(files("grpo", SHARED % "prompt"), versions={"trl": "0.15.2"}, says="has from, value"),
        Bad(
            files("sft", '{"messages": [{"role": "user", "text": "Why?"}]}\n'),
            versions={"trl": "0.15.2"},
            says="a message in messages has role, text",
        ),
        Good(files("sft", SHARED % "messages"), versions={"trl": "0.15.2"}),
        Good(files("sft", SHARED % "conversations"), versions={"trl": "1.16.0"}),
        Good(
            files("sft", '{"messages": [{"role": "assistant", "tool_calls": []}]}\n'),
            versions={"trl": "1.16.0"},
        ),
    ),
)
