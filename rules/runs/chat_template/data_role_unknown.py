"""A message has a role that the chat template does not know.

Chat templates know the roles `system`, `user`, `assistant` and `tool`. Many write another role as
it is: the text has `sytem` or `human`, where the model knows `system` and `user`. No error is
raised, and generation later uses the roles that the model knows.

Remedy: rename the roles of the rows, for example `human` to `user` and `gpt` to `assistant`.

Versions: every release. Local files of rows are examined, their first 64 rows, and in a rehearsal
the rows as the trainer gets them. Reported if the role is the usual name of another format, or is
misspelt, and if the chat template does not name it.

Seen: reproduced with SFT and GRPO of trl 1.16.0 and a template of ChatML: `sytem` and `human` are
in the trained text, and no error is raised.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import template
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rows.rendered import RenderedRow, rendered_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts

from ..._recorded.candidate import CHATML, on_conversation, on_rows

ROLES = ("system", "user", "assistant", "tool")
OTHER_NAMES = {
    "human": "user", "prompter": "user", "client": "user", "customer": "user",
    "gpt": "assistant", "bot": "assistant", "ai": "assistant", "chatbot": "assistant",
    "chatgpt": "assistant", "model": "assistant", "agent": "assistant",
}  # fmt: skip
"""What other formats call the roles."""

NEAR = 0.8
"""How much a misspelt role is like the right one."""

SAID = '{"role": "%s", "content": "a text"}'
OTHERS = (
    "{% for m in messages %}{{ '[Q]' if m.role == 'user' else '[A]' }}{{ m.content }}{% endfor %}"
)
NAMED = CHATML.replace("message['role']", "('model' if message['role'] == 'model' else 'user')")


def check(facts: Facts) -> Iterator[Finding]:
    text = tokenizer_facts(facts)[template].text
    first: RenderedRow | None = None
    unknown = dict[str, str]()
    for row in facts[rendered_rows]:
        for message in row.messages if row.text else ():
            role = str(message["role"])
            named = role in ROLES or f"'{role}'" in text or f'"{role}"' in text
            if not named and (usual := _usual(role)):
                first = first or row
                unknown.setdefault(role, usual)
    if first is None:
        return
    one = len(unknown) == 1
    written = any(role in first.text for role in unknown)
    how = f", and writes {'it as it is' if one else 'them as they are'}" if written else ""
    yield Finding(
        facts.run.place(data_key(facts)),
        f"row {first.row} of {file_name(facts)} has the role{'' if one else 's'} "
        f"{', '.join(map(repr, unknown))} in {first.column}: the chat template does not know "
        f"{'it' if one else 'them'}{how}",
        remedy=", ".join(
            f"write {usual!r} in place of {role!r}" for role, usual in unknown.items()
        ),
    )


def _usual(role: str) -> str:
    """The role that this one stands for; empty if that is not certain."""
    lower = role.strip().lower()
    if lower in OTHER_NAMES:
        return OTHER_NAMES[lower]
    return next(iter(similar(lower, ROLES, alike=NEAR)), "")


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            on_conversation(CHATML, SAID % "sytem", SAID % "user", SAID % "assistant"),
            says="row 1 of rows.jsonl has the role 'sytem' in messages: the chat template does not "
            "know it, and writes it as it is",
        ),
        Bad(
            on_conversation(CHATML, SAID % "human", SAID % "assistant"),
            says="has the role 'human' in",
        ),
        Bad(
            on_conversation(OTHERS, SAID % "User", SAID % "assistant"),
            says="has the role 'User' in",
        ),
        Good(on_conversation(CHATML, SAID % "system", SAID % "user", SAID % "assistant")),
        Good(on_conversation(CHATML, SAID % "developer", SAID % "critic", SAID % "assistant")),
        Good(on_conversation(NAMED, SAID % "user", SAID % "model")),
        Good(on_rows(CHATML, '{"text": "a"}\n')),
    ),
)
