"""The collator looks for a text that the rows do not have.

`DataCollatorForCompletionOnlyLM` looks for the tokens of `response_template` in each row, and
removes everything before them from the loss. If it does not find them, it removes the whole row:
there is only a UserWarning, and a loss of 0 or NaN. This also happens if the template ends in a
space: most tokenizers join a space and the next word to one token.

Remedy: write `response_template` as it is in the rows, without a space at its end.

Versions: trl before 0.20, which has this class.

Seen: trl#1820, trl#1225. Reproduced with SFT of trl 0.15.2: nothing is trained with "### Answer: ",
with a template that no row has, and with texts that end in it; with "### Answer:" the answers are.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import constructed, passed, plain_text

from ..._recorded.scripts import LOCAL, script

CLASS, KEY = "DataCollatorForCompletionOnlyLM", "response_template"


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    collator = constructed(values.values.get("data_collator"))
    if collator is None or collator.short != CLASS:
        raise NotConcerned(f"the run uses no {CLASS}")
    text, place = plain_text(collator.argument(KEY, 0)), values.places["data_collator"]
    texts = _texts(facts) if not values.has("formatting_func") else []
    if texts and not any(text.strip() in row for row in texts):
        yield Finding(
            place,
            f"{KEY} is {excerpt(text)!r}, which none of the first {len(texts)} rows has: nothing "
            "of them is trained",
        )
    elif texts and all(row.rstrip().endswith(text.strip()) for row in texts):
        yield Finding(
            place,
            f"the first {len(texts)} rows end in {KEY}, {excerpt(text)!r}: they have no answers "
            "to train",
        )
    elif text != text.rstrip(" "):
        yield Finding(
            place,
            f"{KEY} is {excerpt(text)!r} and ends in a space: most tokenizers join it to the next "
            "word, and then nothing of a row is trained",
            severity="warning",
        )


def _texts(facts: Facts) -> list[str]:
    """The texts of the rows, where they are plain texts and known."""
    field = facts.run.arguments.get("dataset_text_field")
    name = field if isinstance(field, str) else "text"
    texts = [row.get(name) for row in facts.get(own_rows) or ()]
    return [text for text in texts if isinstance(text, str)]


def _files(template: str, text: str = "### Question: Why?\\n### Answer: so") -> dict[str, str]:
    before = f"from trl import {CLASS}\ncollator = {CLASS}({template!r}, tokenizer='m')\n"
    files = script("SFT", "model='m', data_collator=collator", before=before, rows=LOCAL)
    return {**files, "rows.jsonl": f'{{"text": "{text}"}}\n'}


TRL = {"trl": "0.15.2", "transformers": "4.48.3"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Could not find response key",
    examples=(
        Bad(
            _files("### Answer: "),
            "train.py",
            versions=TRL,
            says="ends in a space: most tokenizers join it to the next word",
            severity="warning",
        ),
        Bad(
            _files("### Response:"),
            "train.py",
            versions=TRL,
            says="response_template is '### Response:', which none of the first 1 rows has",
        ),
        Bad(
            _files("### Answer:", "### Question: Why?\\n### Answer:"),
            "train.py",
            versions=TRL,
            says="rows end in response_template, '### Answer:': they have no answers to train",
        ),
        Good(_files("### Answer:"), "train.py", versions=TRL),
        Good(_files("\n### Answer:"), "train.py", versions=TRL),
        Good(script("SFT", "model='m'"), "train.py", versions=TRL),
    ),
)
