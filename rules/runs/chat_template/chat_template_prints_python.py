"""The chat template prints Python objects as text.

A template that writes `{{ message.content }}` prints a list of parts as `[{'type': 'text', …}]`, a
null as `None` and the arguments of a tool's call as `{'city': 'Rome'}`, with quotes that are no
JSON. There is no error: the model learns to read and to write these characters.

Remedy: write plain texts as contents, or use a template that handles them: `tojson` for arguments,
and for contents `message.content if message.content is string`.

Versions: every trl. Local files of rows are examined, their first 64 rows.

Seen: reproduced with SFT of trl 1.16.0: the decoded tokens of the trainer's batch hold
`{'city': 'Rome'}` and `[{'type': 'text', 'text': 'why'}]`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import data_key, in_rows
from trl_doctor.facts.rows.printed import printed_python
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import on_conversation

SHOWN = 60
"""Characters of a text that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    place = facts.run.place(data_key(facts))
    for text in facts[printed_python]:
        yield Finding(
            place,
            f"the chat template prints {text.what} as Python: {text.text[:SHOWN]} in "
            f"{in_rows(facts, text.row, text.rows)}",
        )


PLAIN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CALLS = PLAIN.replace(
    "{{ m.content }}",
    "{% for c in m.tool_calls or [] %}{{ c.function.arguments }}{% endfor %}{{ m.content }}",
)
PARTS = '{"role": "user", "content": [{"type": "text", "text": "why"}]}'
ASKED = '{"role": "user", "content": "why"}'
ANSWER = '{"role": "assistant", "content": "so"}'
CALL = (
    '{"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": '
    '{"name": "look", "arguments": {"city": "Rome"}}}]}'
)


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            on_conversation(PLAIN, PARTS, ANSWER),
            versions=TRL,
            says="prints a content that is a list of parts as Python: [{'type': 'text'",
        ),
        Bad(
            on_conversation(CALLS, ASKED, CALL),
            versions=TRL,
            says="prints the arguments of a tool's call as Python: {'city': 'Rome'} in row 1",
        ),
        Good(on_conversation(CALLS.replace("arguments }}", "arguments | tojson }}"), ASKED, CALL),
             versions=TRL),
        Good(on_conversation(PLAIN, ASKED, ANSWER), versions=TRL),
    ),
)  # fmt: skip
