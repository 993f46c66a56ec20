"""The chat template refuses a conversation of the data.

Many templates accept only some roles, or require user and assistant in turn, and raise an exception
for anything else: a system message (Gemma 2), two questions in a row (Mistral, Llama 2). Others
join texts, and fail if the content of a message is a list of parts, as for models with images: "can
only concatenate str (not "list") to str". The run fails while the data are prepared, or hours later
at the first such prompt.

Remedy: move the text of a system message into the first question, join consecutive messages of one
role, and leave out rows that do not fit; or use a chat template that accepts them.

Versions: every trl. Local files of rows are examined, their first 64 rows.

Seen: unsloth#334. Reproduced with SFT with trl 1.16.0 on a template that requires alternating
roles: "Conversation roles must alternate"; without the row that has two questions it trains.
VLM-R1#110, with GRPO of trl 0.15.2: with a list of parts it fails in its first step, with a text it
trains.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rows.rendered import RefusedRow, refused_rows
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CHATML, on_rows

MOST = 8
"""The number of roles that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    key = data_key(facts)
    for refused in refused_rows(facts):
        cause, evidence, remedy = _why(refused)
        yield Finding(
            facts.run.place(key),
            f"row {refused.row} of {file_name(facts)}: {refused.error}{cause}",
            (evidence,),
            remedy=remedy,
            follows=("data-messages-lack-role",),
        )


def _why(refused: RefusedRow) -> tuple[str, str, str]:
    """What the message says more, what was seen, and the remedy."""
    if refused.empty:
        evidence = f"message {refused.empty} of its {refused.column} has no content"
        return "", evidence, "give the message a text as content, or leave the row out"
    roles = ", ".join(refused.roles[:MOST]) + (", …" if len(refused.roles) > MOST else "")
    evidence = f"the roles of its {refused.column}: {roles}"
    if refused.parted and re.search(r"\blist\b", refused.error):
        cause = f"; the content of message {refused.parted} is a list of parts, no text"
        return (
            cause,
            evidence,
            "give each message one text as its content, or use a template for parts",
        )
    return "", evidence, ""


ALTERNATES = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}{{ m.content }}{% endfor %}"
)
FINE = '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}\n'
TWICE = '{"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}\n'
PARTS = '{"prompt": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}\n'


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"TemplateError|UndefinedError|can only concatenate str|\broles?\b",
    examples=(
        Bad(
            on_rows(ALTERNATES, FINE + TWICE),
            versions=TRL,
            says="row 2 of rows.jsonl: the chat template raises at line 1: roles must alternate",
        ),
        Bad(
            on_rows(CHATML, '{"prompt": [{"role": "user", "content": null}]}\n'),
            versions=TRL,
            says="row 1 of rows.jsonl",
        ),
        Bad(
            on_rows(CHATML, PARTS),
            versions=TRL,
            says="; the content of message 1 is a list of parts, no text",
        ),
        Good(on_rows(ALTERNATES, FINE), versions=TRL),
        Good(on_rows(CHATML, FINE + TWICE), versions=TRL),
        Good(on_rows(ALTERNATES, '{"text": "a"}\n'), versions=TRL),
    ),
)
