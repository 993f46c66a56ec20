"""The chat template changes the order of the messages.

A later message of a row is printed before an earlier one: an answer before its question, for
example if a template sorts or groups by role. There is no error; the model learns to answer
questions that it has not read. Only questions and answers are compared: many templates put a system
text into a question, and Gemma 4's templates print the text of an answer that calls a tool after
the tool's answer.

Remedy: use a chat template that prints the messages one after the other.

Versions: every trl. Local files of rows are examined, their first 64 rows.

Seen: reproduced with SFT of trl 1.16.0 and a template that goes through the messages sorted by
role: the decoded tokens of the trainer's batch have the answer before the question. In 584
renderings of four conversations by 183 template files from trl and vLLM the rule finds none.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.moved_texts import moved_texts
from trl_doctor.facts.rows.own import data_key, in_rows
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import on_conversation

SHOWN = 30
"""Characters of a text that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    moved = moved_texts(facts)
    if moved is None:
        return
    earlier, later = moved.roles
    yield Finding(
        facts.run.place(data_key(facts)),
        f"the chat template prints {moved.later[:SHOWN]!r} ({later}) before "
        f"{moved.earlier[:SHOWN]!r} ({earlier}), which comes first in "
        f"{in_rows(facts, moved.row, moved.rows)}",
    )


PLAIN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
SORTED = PLAIN.replace("in messages", "in messages | sort(attribute='role')")
LATE = (
    "{% for m in messages if m.role != 'system' %}<|im_start|>{{ m.role }}\n"
    "{% if loop.last %}{{ messages[0].content }}{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
)
SYSTEM = '{"role": "system", "content": "be kind to everybody"}'
ASKED = '{"role": "user", "content": "why is it so"}'
ANSWER = '{"role": "assistant", "content": "it is as it is"}'
QUOTES = '{"role": "assistant", "content": "you asked: why is it so"}'


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            on_conversation(SORTED, ASKED, ANSWER),
            versions=TRL,
            says="prints 'it is as it is' (assistant) before 'why is it so' (user)",
        ),
        Good(on_conversation(PLAIN, ASKED, ANSWER), versions=TRL),
        Good(on_conversation(PLAIN, ASKED, QUOTES), versions=TRL),
        Good(on_conversation(LATE, SYSTEM, ASKED, ANSWER), versions=TRL),
        Good(on_conversation(PLAIN, ASKED, ANSWER, ASKED, ANSWER), versions=TRL),
    ),
)
