"""A cell of the data is null, or no text.

The trainer reads text or messages (`[{"role": "user", "content": "…"}]`), KTO true or false in
`label`, the reward trainer a number in `margin`. Anything else ends the run while
the data are prepared, and GRPO in the step that draws the row: "'NoneType' object has no attribute
'endswith'", "unsupported operand type(s) for +: 'int' and 'str'". The error names neither the row
nor the column.

Remedy: correct the row or leave it out; write labels as `true` and `false`, without quotes.

Versions: every trl. Labels 0 and 1 are refused up to trl 0.24.0: no loss has a gradient. Local JSON
files are examined, their first 20,000 rows; a rehearsal examines the first rows that the script
gives its trainer.

Seen: ms-swift#1513, ms-swift#2941, MedicalGPT#382. Reproduced with trl 1.16.0, 0.24.0 and 0.19.1:
null and numbers in the columns of SFT, DPO, KTO and the reward trainer, labels in quotes and labels
that are null; without these rows all train. Texts in `margin` with 1.16.0: "too many dimensions
'str'". Lists of texts with 0.15.2, 0.24.0 and 1.16.0: "'list' object has no attribute 'endswith'",
"expected sequence of length 2 at dim 1"; GRPO takes a prompt of two texts for a pair and trains on
it without a template.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.odd_cells import OddCell, odd_cells
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rule import Bad, Good, Rule

WANTED = {
    "label": "true or false",
    "margin": "a number",
    "messages": "a list of messages",
    "text": "text",
}


def check(facts: Facts) -> Iterator[Finding]:
    place = facts.run.place(data_key(facts))
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    for odd in odd_cells(facts):
        expected = WANTED.get(odd.kind, "text or messages")
        yield Finding(
            place,
            f"row {odd.row} of {file_name(facts)} has {odd.holds} in {odd.column}, where the "
            f"trainer reads {expected}",
            remedy=_remedy(odd),
        )


def _remedy(odd: OddCell) -> str:
    if odd.holds == "null":
        return (
            f"leave out the rows without it, as `rows.filter(lambda row: row['{odd.column}'] is "
            "not None)` does, or write a text"
        )
    if odd.holds == "a list of texts":
        return "join the list to one text, or write it as messages with role and content"
    return ""


def files(trainer: str, rows: str) -> dict[str, Any]:
    run: dict[str, Json] = {"trainer": trainer, "dataset_name": "rows.jsonl"}
    return {"run.json": run, "rows.jsonl": rows}


def named(column: str, cell: str) -> dict[str, Any]:
    """A run that names a column as its texts."""
    run: dict[str, Json] = {"trainer": "sft", "dataset_name": "rows.jsonl"}
    rows = f'{{"{column}": {cell}}}\n'
    return {"run.json": {**run, "dataset_text_field": column}, "rows.jsonl": rows}


CONVERSATION = '[{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]'
SINCE = ("1.16.0", "0.24.0", "0.19.1")
EXPLAINS = (
    r"NoneType|has no attribute 'endswith'|can only concatenate|unsupported operand type"
    r"|TextEncodeInput|text input must be of type|too many dimensions 'str'|expected sequence of"
    r"|Unable to create tensor|No columns in the dataset match|KeyError: 'text'"
)
PAIR = '{"prompt": "Why?", "chosen": "So.", "rejected": %s}\n'
LABELLED = '{"prompt": "Why?", "completion": "So.", "label": %s}\n'
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=EXPLAINS,
    examples=(
        Bad(
            files("dpo", PAIR % '"No."' + PAIR % "null"),
            versions=TRL,
            says="row 2 of rows.jsonl has null in rejected, where the trainer reads text",
        ),
        Bad(files("orpo", PAIR % "null"), versions=TRL, says="row 1 of rows.jsonl has null in"),
        Bad(
            files("kto", LABELLED % '"true"'),
            versions=TRL,
            says="has 'true' in label, where the trainer reads true or false",
        ),
        Bad(files("kto", LABELLED % "1"), versions={"trl": "0.24.0"}, says="has 1 in label"),
        Bad(
            files("sft", '{"messages": [], "text": "Why?"}\n'),
            versions=TRL,
            says="has no message in messages",
        ),
        Bad(
            files("reward", '{"chosen": "So.", "rejected": "No.", "margin": "0.5"}\n'),
            versions=TRL,
            says="has '0.5' in margin, where the trainer reads a number",
        ),
        Good(
            files("reward", '{"chosen": "So.", "rejected": "No.", "margin": 0.5}\n'), versions=TRL
        ),
        Bad(
            files("sft", '{"text": ["Why?", "So."]}\n'),
            versions=TRL,
            says="has a list of texts in text, where the trainer reads text",
        ),
        Bad(
            files("grpo", '{"prompt": ["Why?"]}\n'),
            versions=TRL,
            says="has a list of texts in prompt, where the trainer reads text or messages",
        ),
        Good(
            {
                "run.json": {
                    "trainer": "sft",
                    "dataset_name": "rows.jsonl",
                    "dataset_text_field": "label",
                },
                "rows.jsonl": '{"label": "Why?"}\n',
            },
            versions=TRL,
        ),
        *(Good(named("messages", CONVERSATION), versions={"trl": trl}) for trl in SINCE),
        Bad(
            named("messages", CONVERSATION),
            versions={"trl": "0.15.2"},
            says="has a list in messages, where the trainer reads text",
        ),
        Bad(
            named("conversations", CONVERSATION),
            versions=TRL,
            says="has a list in conversations, where the trainer reads text",
        ),
        Good(named("conversations", '[{"from": "human", "value": "Why?"}]'), versions=TRL),
        Bad(named("messages", "[]"), versions=TRL, says="has no message in messages"),
        Good(
            named("completion", CONVERSATION + f', "prompt": {CONVERSATION}'),
            versions=TRL,
        ),
        Good(files("grpo", '{"prompt": [{"role": "user", "content": "Why?"}]}\n'), versions=TRL),
        Good(files("sft", '{"text": ["Why?"], "input_ids": [1]}\n'), versions=TRL),
        Good(files("kto", LABELLED % "1"), versions=TRL),
        Good(files("kto", LABELLED % "true" + LABELLED % "false"), versions={"trl": "0.24.0"}),
        Good(files("sft", '{"text": "Why?", "source": null}\n'), versions=TRL),
        Good(files("dpo", '{"question": null}\n'), versions=TRL),
    ),
)
