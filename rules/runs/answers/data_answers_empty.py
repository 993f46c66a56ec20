"""Answers of the data are empty or missing.

The last message of the assistant, the completion or the chosen answer has no text: the model learns
to end its turn at once. Conversations without any message of the assistant have no answer at all:
often a table of roles lacks the name that the data use. Exports that lose a column, filters that
take all text away and failed calls of another model leave such rows. A whole text that is empty
teaches nothing and takes the place of another row: a function that catches an error, and returns an
empty text, makes such rows.

Remedy: filter these rows out, or find the step that loses the answers.

Versions: every trl. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them. Messages with tool calls may be empty; the rule allows a few
empty answers, up to one of ten. Empty lines of plain texts that are packed are left alone.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: after 60 steps on empty answers a small model
ends its turn at once, for questions that it has seen and for others. Rows with an empty text have
one token, the eos, and nothing to learn.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import sampled
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

COLUMNS = {
    "sft": ("completion", "messages"), "dpo": ("chosen",), "orpo": ("chosen",),
    "cpo": ("chosen",), "reward": ("chosen",), "kto": ("completion",), "bco": ("completion",),
}  # fmt: skip
"""The columns with answers that are wanted."""

FEW = 0.1
"""The share of empty answers that is not reported."""


def check(facts: Facts) -> Iterator[Finding]:
    columns = COLUMNS.get(known_trainer(facts) or "", ())
    if not columns:
        raise NotConcerned("the rows of this trainer have no answers")
    rows = facts[own_rows]
    yield from _empty_texts(facts, rows)
    empty = [
        number
        for number, row in enumerate(rows, 1)
        if row.get("label") is not False and any(_is_empty(row.get(name)) for name in columns)
    ]
    numbers = [number for number, row in enumerate(rows, 1) if _only_asks(row.get("messages"))]
    if "messages" in columns and len(numbers) > FEW * len(rows):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{len(numbers)} of {len(rows)} conversations of {file_name(facts)} have no message of "
            f"the assistant, first in row {numbers[0]}: there is no answer to learn",
        )
    if len(empty) > FEW * len(rows) and (len(empty) == len(rows) or not facts[sampled]):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the answer is empty in {len(empty)} of {len(rows)} rows of {file_name(facts)}, first "
            f"in row {empty[0]}: the model learns to answer with nothing",
        )


def _empty_texts(facts: Facts, rows: list[dict[str, Json]]) -> Iterator[Finding]:
    """Whole texts of SFT without a character."""
    field = str(facts.run.arguments.get("dataset_text_field") or "text")
    if known_trainer(facts) != "sft" or facts.run.flag("packing"):
        return
    if field not in rows[0] or {"messages", "prompt", "input_ids"} & {*rows[0]}:
        return
    numbers = [number for number, row in enumerate(rows, 1)
               if isinstance(text := row.get(field), str) and not text.strip()]  # fmt: skip
    if len(numbers) > FEW * len(rows) and (len(numbers) == len(rows) or not facts[sampled]):
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{field} is empty in {len(numbers)} of {len(rows)} rows of {file_name(facts)}, first "
            f"in row {numbers[0]}: these rows teach nothing",
            follows=("chat-template-error-caught",),
        )


def _is_empty(answer: Json) -> bool:
    """Whether an answer has no text; of messages the last one of the assistant."""
    if isinstance(answer, str):
        return not answer.strip()
    if not isinstance(answer, list):
        return False
    messages = [
        message
        for message in answer
        if isinstance(message, dict) and message.get("role") == "assistant"
    ]
    given = messages[-1].items() if messages else ()
    last = {key: value for key, value in given if value is not None}
    return set(last) <= {"role", "content"} and last.get("content") == ""


def _only_asks(messages: Json) -> bool:
    """Whether a conversation has more than one message, and all of them are questions."""
    if not isinstance(messages, list) or len(messages) < 2:
        return False
    roles = {message.get("role") if isinstance(message, dict) else None for message in messages}
    return roles <= {"system", "user"} and "user" in roles


SFT: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
TEXT = '{"text": "%s"}\n'
PAIR = '{"prompt": "Why?", "completion": "%s"}\n'
TALK = (
    '{"messages": [{"role": "user", "content": "why"}, {"role": "assistant", "content": "%s"%s}]}\n'
)
CALLS = ', "tool_calls": [{"function": {"name": "f", "arguments": {}}}]'
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SFT, "rows.jsonl": PAIR % "So." + PAIR % " "},
            says="the answer is empty in 1 of 2 rows of rows.jsonl, first in row 2",
        ),
        Bad({"run.json": SFT, "rows.jsonl": TALK % ("", "")}, says="the model learns to answer"),
        Bad(
            {"run.json": SFT, "rows.jsonl": (TALK % ("so", "")).replace("assistant", "user")},
            says="1 of 1 conversations of rows.jsonl have no message of the assistant",
        ),
        Bad(
            {"run.json": SFT, "rows.jsonl": TEXT % "So." * 3 + TEXT % ""},
            says="text is empty in 1 of 4 rows of rows.jsonl, first in row 4: these rows teach",
        ),
        Good({"run.json": SFT, "rows.jsonl": TEXT % "So." * 10 + TEXT % ""}),
        Good({"run.json": {**SFT, "packing": True}, "rows.jsonl": TEXT % "So." + TEXT % ""}),
        Good({"run.json": {**SFT, "dataset_text_field": "a"}, "rows.jsonl": TEXT % ""}),
        Good({"run.json": SFT, "rows.jsonl": TALK % ("", CALLS)}),
        Bad(
            {"run.json": SFT, "rows.jsonl": TALK % ("", ', "tool_calls": null')},
            says="the answer is empty in 1 of 1 rows of rows.jsonl",
        ),
        Good({"run.json": SFT, "rows.jsonl": PAIR % "So." * 10 + PAIR % ""}),
        Good({"run.json": {**SFT, "trainer": "grpo"}, "rows.jsonl": PAIR % ""}),
    ),
)
