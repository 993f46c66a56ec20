"""The trainer ignores a column of texts because of messages.

The rows have `messages` and a column `text` that the script has made in another format. SFT trains
on the messages, rendered with the tokenizer's own chat template; it never reads the texts. The
model learns another format than the one that the script has written. No error is raised.

Remedy: drop the column in the map: `rows.map(to_text, remove_columns=["messages"])`; or set
`tokenizer.chat_template` to the format and leave the texts out.

Versions: SFT of trl 0.15 and newer. Texts that are what the template writes are not reported. Local
JSON files are examined, and in a rehearsal the rows as the trainer gets them.

Seen: reproduced with SFT of trl 0.24.0: the tokens of the first row are those of the chat template,
not those of `text`. The sources of 0.15.2 choose in the same way.
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.rendered import rendered_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.candidate import CHATML, CONFIG, RUN, candidate, tokenizer_files

FIRST = Version("0.15.0")
"""From this release on messages go first."""


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or (trl is not None and trl < FIRST):
        raise NotConcerned("only SFT of trl 0.15 and newer reads messages before texts")
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("the script builds the texts itself (formatting_func)")
    field = str(facts.run.arguments.get("dataset_text_field") or "text")
    rows = facts[own_rows]
    if not all(isinstance(row.get(field), str | None) for row in rows):
        raise NotConcerned(f"{field} is no column of texts")
    texts = [str(row.get(field) or "") for row in rows]
    for rendered in facts[rendered_rows]:
        text = texts[rendered.row - 1].strip()
        contents = [str(message.get("content") or "").strip() for message in rendered.messages]
        if text == rendered.text.strip() or not all(content in text for content in contents):
            raise NotConcerned(f"{field} is no other form of the messages")
    yield Finding(
        facts.run.place(data_key(facts)),
        f"{file_name(facts)} has messages and {field}: SFT trains on the messages with the "
        f"chat template, and never reads {field}",
        (f"{field} of the first row: {excerpt(texts[0])!r}",),
    )


SFT: dict[str, Json] = {**RUN, "trainer": "sft", "dataset_name": "rows.jsonl"}


def files(text: str) -> dict[str, Any]:
    row = (
        '{"messages": [{"role": "user", "content": "why"}, {"role": "assistant", "content": "so"}],'
        f' "text": "{text}"}}\n'
    )
    return {**candidate(SFT, CONFIG, tokenizer_files(chat_template=CHATML)), "rows.jsonl": row}


def named_messages() -> dict[str, Any]:
    """The run names the messages themselves as its texts."""
    sft: dict[str, Json] = {**SFT, "dataset_text_field": "messages"}
    laid = files("[INST] why [/INST] so")
    return {**laid, **candidate(sft, CONFIG, tokenizer_files(chat_template=CHATML))}


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
SAME = "<|im_start|>user\\nwhy<|im_end|>\\n<|im_start|>assistant\\nso<|im_end|>\\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            files("[INST] why [/INST] so"),
            versions=TRL,
            says="rows.jsonl has messages and text: SFT trains on the messages",
        ),
        Good(files(SAME), versions=TRL),
        Good(files("a title"), versions=TRL),
        Good(named_messages(), versions=TRL),
        Good(files("[INST] why [/INST] so"), versions={"trl": "0.14.0"}),
    ),
)
