"""The trainer ignores a column of texts that was made for it.

The rows have `messages` and a column `text` that the script has made in another format. SFT trains
on the messages, rendered with the tokenizer's own chat template; it never reads the texts. The
model learns another format than the one that the script has written. No error is raised. In the
same way SFT reads `prompt` and `completion`, and no `text` that has both and more. Such columns
stay if `remove_columns=rows.column_names` is None, as of a stream behind a `map`.

The same happens if `dataset_text_field` names another column: a `map` writes `formatted` with the
text and more, and the run trains on `text`, which is still there.

Remedy: name the new column in `dataset_text_field`. Beside messages, drop the column in the map:
`rows.map(to_text, remove_columns=["messages"])`; or set `tokenizer.chat_template` to the format and
leave the texts out.

Versions: SFT of trl 0.15 and newer, of prompts and completions 0.16 and newer. Texts that are what
the template writes are not reported, nor are prompts and completions as they are. Beside messages
neither are texts without marks or names of roles, as a log shows a conversation, nor a column that
the script reads itself, to find copies or to measure lengths. Beside prompts and completions that
are plain texts a column `text` gets the eos that the completion then lacks. Local JSON files
are examined, and in a rehearsal the rows as the trainer gets them. A rehearsal also looks for a
column that the script has made: it has the text of the column that is trained on in nine of ten
rows, eight at least, and more that differs from row to row. Nothing is reported if the script names
the new column once more, to read or to remove it.

Seen: maxtext#1524: reproduced with SFT of trl 1.16.0 and 0.24.0. With messages and SFT of trl
0.24.0 the tokens of the first row are those of the chat template, not those of `text`. The sources
of 0.15.2 choose in the same way. With 1.16.0 and 0.24.0 for `dataset_text_field="text"` beside a
new column with the text and its summary: no token of a summary is trained on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.intentions import reads_column
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rows.rendered import rendered_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.candidate import CHATML, CONFIG, RUN, candidate, tokenizer_files

FIRST = Version("0.15.0")
"""From this release on messages go first."""

PAIRS, MORE = Version("0.16.0"), 8
"""From this release on prompts and completions do, and characters that a text has besides them."""

FORM = re.compile(
    r"<[|｜]|\[/?INST\]|</?s>|<(?:start|end)_of_turn>|^\s*(?:#+ ?)?"
    r"(?:user|human|question|instruction|input|assistant|gpt|answer|response|q|a)\b[^\n:]{0,12}:",
    re.IGNORECASE | re.MULTILINE,
)
"""How a text that is made to be trained on shows who speaks."""

FULLER = (
    "SFT trains on the column {1}, and never reads {0}, which the script has made of it in {2} "
    "rows with more texts"
)
NAME = "name the new column in dataset_text_field"


def check(facts: Facts) -> Iterator[Finding]:
    if rehearsed(facts):
        yield from mistake_findings(facts, {"fuller texts unused": FULLER}, remedy=NAME)
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or (trl is not None and trl < FIRST):
        raise NotConcerned("only SFT of trl 0.15 and newer reads messages before texts")
    if facts.run.script.passes("formatting_func"):
        raise NotConcerned("another rule looks at texts of formatting_func")
    field = str(facts.run.arguments.get("dataset_text_field") or "text")
    rows = facts[own_rows]
    if not all(isinstance(row.get(field), str | None) for row in rows):
        raise NotConcerned(f"{field} is no column of texts")
    texts = [str(row.get(field) or "") for row in rows]
    pairs = [*_beside_pairs(facts, field, rows)] if trl is None or trl >= PAIRS else []
    yield from pairs
    if pairs:
        return
    if reads_column(facts, field):
        raise NotConcerned(f"the script reads {field} itself")
    for rendered in facts[rendered_rows]:
        text = texts[rendered.row - 1].strip()
        contents = [str(message.get("content") or "").strip() for message in rendered.messages]
        if text == rendered.text.strip() or not all(content in text for content in contents):
            raise NotConcerned(f"{field} is no other form of the messages")
        if not FORM.search(text):
            raise NotConcerned(f"{field} has no marks between the messages")
    yield Finding(
        facts.run.place(data_key(facts)),
        f"{file_name(facts)} has messages and {field}: SFT trains on the messages with the "
        f"chat template, and never reads {field}",
        (f"{field} of the first row: {excerpt(texts[0])!r}",),
    )


def _beside_pairs(facts: Facts, field: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Texts that have the prompt and the completion of their row, and more."""
    for row in rows:
        prompt, completion = (row.get(name) for name in ("prompt", "completion"))
        if not isinstance(prompt, str) or not isinstance(completion, str) or "messages" in row:
            return
        text, sides = str(row.get(field) or ""), (prompt.strip(), completion.strip())
        more = len("".join(text.split())) - len("".join("".join(sides).split()))
        if not all(side and side in text for side in sides) or more < MORE:
            return
    if rows:
        yield Finding(
            facts.run.place(data_key(facts)),
            f"{file_name(facts)} has prompt and completion beside {field}: SFT trains on these two "
            f"as they are, and never reads {field}",
            (f"{field} of the first row: {excerpt(str(rows[0].get(field)))!r}",),
            remedy="name the old columns in remove_columns; column_names of a stream may be None",
        )


SFT: dict[str, Json] = {**RUN, "trainer": "sft", "dataset_name": "rows.jsonl"}


def files(text: str) -> dict[str, Any]:
    row = (
        '{"messages": [{"role": "user", "content": "why"}, {"role": "assistant", "content": "so"}],'
        f' "text": "{text}"}}\n'
    )
    return {**candidate(SFT, CONFIG, tokenizer_files(chat_template=CHATML)), "rows.jsonl": row}


def with_pair(text: str) -> dict[str, Any]:
    """A row of a prompt and a completion, and their text."""
    row = f'{{"prompt": "why", "completion": " so", "text": "{text}"}}\n'
    return {**files(""), "rows.jsonl": row}


def named_messages() -> dict[str, Any]:
    """The run names the messages themselves as its texts."""
    sft: dict[str, Json] = {**SFT, "dataset_text_field": "messages"}
    laid = files("[INST] why [/INST] so")
    return {**laid, **candidate(sft, CONFIG, tokenizer_files(chat_template=CHATML))}


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
SAME = "<|im_start|>user\\nwhy<|im_end|>\\n<|im_start|>assistant\\nso<|im_end|>\\n"


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    says = "SFT trains on the column text, and never reads formatted, which the script has made of"
    return (
        mistake("fuller texts unused", ("formatted", "text", "48"), "train.py:12", says),
        Bad(
            files("[INST] why [/INST] so"),
            versions=TRL,
            says="rows.jsonl has messages and text: SFT trains on the messages",
        ),
        Good(files(SAME), versions=TRL),
        Bad(
            with_pair("### Question: why ### Answer: so"),
            versions=TRL,
            says="rows.jsonl has prompt and completion beside text: SFT trains on these two",
        ),
        Good(with_pair("why so"), versions=TRL),
        Good(files("a title"), versions=TRL),
        Good(files("[0] USER: why || BOT: so"), versions=TRL),
        Good(named_messages(), versions=TRL),
        Good(files("[INST] why [/INST] so"), versions={"trl": "0.14.0"}),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
