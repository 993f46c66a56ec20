"""The script catches errors of the chat template.

The script renders its conversations itself, and catches the error that the chat template raises for
some of them: two questions in a row, a system message, an empty content. In place of these it
returns an empty text, or the texts without the template. The trainer takes them as rows. An empty
row teaches nothing and takes the place of another one in its batch; a row without the template
teaches the model to go on without the marks of turns. The loss falls, and no error is shown.

Remedy: let the error end the script, and look at the conversation. Join consecutive messages of one
role and move a system message into the first question before you render, or take these rows out:
`dataset.filter(…)`.

Versions: every trl, seen in a rehearsal: an error that the script catches, and rows that have no
text, or none of the special tokens of the other rows. Not reported: a script that takes these rows
out, or renders them again in a form that the template accepts.

Seen: unsloth#11293. Reproduced with SFT of trl 1.16.0 and 0.24.0 and a template that requires
alternating roles: two of four rows are empty, and the run says nothing.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rows.own import data_key, file_name, own_rows
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

REFUSED, FIRST = "template refused a row", 3
"""What a rehearsal sees, and how many of these it reports."""

COLUMNS = ("prompt", "completion", "chosen", "rejected")


def check(facts: Facts) -> Iterator[Finding]:
    mistakes = facts[rehearsal].mistakes_of(REFUSED)
    if not mistakes:
        raise NotConcerned("the chat template refused no conversation of the script")
    rows = facts[own_rows]
    columns = (str(facts.run.arguments.get("dataset_text_field") or "text"), *COLUMNS)
    for column in columns:
        texts = [text for row in rows if isinstance(text := row.get(column), str)]
        if words := _of_another_form(facts, texts, [mistake.words[1] for mistake in mistakes]):
            yield Finding(
                facts.run.place(data_key(facts)),
                f"{mistakes[0].place} gets an error of the chat template ({mistakes[0].words[0]}), "
                f"the script goes on, and {words} in the column {column} of {file_name(facts)}",
                remedy="let the error end the script, or take these rows out before the training",
            )
            return


def _of_another_form(facts: Facts, texts: list[str], refused: list[str]) -> str:
    """The texts that the template has not made, beside others that it has; "" for none.

    `refused` are the last texts of the first conversations that it has refused.
    """
    empty = sum(not text.strip() for text in texts)
    if 0 < empty < len(texts) and len(refused) >= min(empty, FIRST):
        return f"{empty} of {len(texts)} rows have no text"
    special = [token for token in tokenizer_facts(facts)[tokenizer].special if len(token) > 2]
    bare = [text for text in texts if not any(token in text for token in special)]
    if 0 < len(bare) < len(texts) and any(
        last and last in text for text in bare for last in refused
    ):
        return f"{len(bare)} of {len(texts)} rows have none of the template's tokens"
    return ""


TALK = (
    '{"text": "<|im_start|>user\\\\nWhy?<|im_end|>\\\\n<|im_start|>assistant\\\\nSo.<|im_end|>"}\n'
)


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import RehearsalMistake

    from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files
    from ..._recorded.rehearsal import rehearsed

    why = "TemplateError: Conversation roles must alternate"
    mistakes = tuple(
        RehearsalMistake(REFUSED, (why, last), "train.py:19") for last in ("So.", "Yes.")
    )
    refused = rehearsed(mistakes=mistakes)
    run: dict[str, Json] = {**RUN, "trainer": "sft", "dataset_name": "rows.jsonl"}
    files = candidate(run, tokenizer_files(), CONFIG)
    trl = {"trl": "1.16.0"}

    def bad(other: str, says: str) -> Bad:
        rows = {"rows.jsonl": TALK * 2 + f'{{"text": "{other}"}}\n' * 2}
        return Bad({**files, **rows}, versions=trl, level="rehearsal", answers=refused, says=says)

    def good(rows: str, mistakes: bool = True) -> Good:
        answers = refused if mistakes else rehearsed()
        return Good({**files, "rows.jsonl": rows}, versions=trl, level="rehearsal", answers=answers)

    return (
        bad("", f"train.py:19 gets an error of the chat template ({why}), the script goes on, and "
            "2 of 4 rows have no text in the column text of rows.jsonl"),
        bad("user: Why? assistant: So.", "2 of 4 rows have none of the template's tokens"),
        good(TALK * 2 + '{"text": "A book about rivers."}\n' * 2),
        good(TALK * 2 + '{"text": ""}\n' * 3),
        good(TALK * 2),
        good('{"text": "So."}\n' * 2),
        good(TALK + '{"text": ""}\n', mistakes=False),
    )  # fmt: skip


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
