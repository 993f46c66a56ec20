"""The chat template is a plain text.

A chat template is a program of Jinja, which prints the messages. A name such as "chatml", or the
path of a file, is one, too: it prints itself. Every conversation becomes this text, no message is
in it, and no error is raised.

Remedy: assign the template's text, for a file `Path("template.jinja").read_text()`.

Versions: every release of transformers.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0 and `tokenizer.chat_template = "chatml"`: each
row that is trained is "chatml".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import template, template_place
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts

from ..._recorded.candidate import CHATML, on_conversation

SHOWN = 40
"""Characters of the template that a finding shows."""

SAID = '{"role": "user", "content": "a text"}'


def check(facts: Facts) -> Iterator[Finding]:
    view = tokenizer_facts(facts)
    text = view[template].text
    if "{{" not in text and "{%" not in text:
        yield Finding(
            template_place(view),
            f"the chat template is the text {text[:SHOWN]!r}: it stands in place of each "
            "conversation, and no message is printed",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            on_conversation("chatml", SAID),
            says="the chat template is the text 'chatml': it stands in place of each conversation",
        ),
        Bad(on_conversation("templates/chat.jinja", SAID), says="'templates/chat.jinja'"),
        Good(on_conversation(CHATML, SAID)),
    ),
)
