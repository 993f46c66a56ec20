"""The chat template leaves out texts of the data.

A template prints what it knows, and drops the rest without a warning: system messages, tool calls
and tools, and the reasoning, of earlier answers or under a key that it does not read. The model
never sees these texts, or never learns to write them.

Remedy: use a chat template that prints them; put the text of a system message into the first
question; for reasoning in several turns, make one row of each answer; give the key of the reasoning
the name that the template reads, for Qwen 3 `reasoning_content` in place of `thinking`.

Versions: every trl. Local files of rows are examined, their first 64 rows. Since transformers 5.21
a template gets `thinking` and `reasoning` as `reasoning_content`, too.

Seen: ms-swift#4939, open-r1#349, transformers#44301. Reproduced with SFT with trl 1.16.0 on a
template that cuts earlier answers at `</think>`, as Qwen 3's template does: the trainer's tokens
have only one of two thoughts. With trl 0.24.0 and transformers 4.57.6 they have none of a
`thinking`, with transformers 5.23.0 all. Of 33 public templates 3 leave out reasoning, and none a
question or an answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.lost_texts import lost_texts
from trl_doctor.facts.rows.own import data_key, in_rows
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CHATML, on_conversation, on_rows

SHOWN = 40
"""Characters of a text that a finding names."""


def check(facts: Facts) -> Iterator[Finding]:
    place = facts.run.place(data_key(facts))
    for lost_text in lost_texts(facts):
        yield Finding(
            place,
            f"the chat template leaves out {lost_text.what}: {lost_text.text[:SHOWN]!r} in "
            f"{in_rows(facts, lost_text.row, lost_text.rows)}",
            follows=("chat-template-is-no-template",),
        )


NO_SYSTEM = (
    "{% for m in messages %}{% if m.role != 'system' %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "<|im_end|>\n{% endif %}{% endfor %}"
)
CUTS = NO_SYSTEM.replace("m.content", "m.content.split('</think>')[-1].strip()")
KEEPS = "{% if keep %}" + CHATML + "{% else %}" + CUTS + "{% endif %}"
ASKED = '{"role": "user", "content": "why"}'
SYSTEM = '{"role": "system", "content": "be kind"}'
ANSWER = '{"role": "assistant", "content": "%s"}'
THOUGHT = ANSWER % "<think>so it is</think>\\nso"
PRINTS = "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
READS = NO_SYSTEM.replace("{{ m.content", f"{PRINTS}{{{{ m.content")
THINKING = ANSWER[:-1] % "so" + ', "thinking": "so it is"}'
BOTH = THINKING[:-1] + ', "reasoning_content": "so it is"}'
CALL = ANSWER[:-1] % "" + ', "tool_calls": [{"function": {"name": "look", "arguments": {}}}]}'


def with_variables(*messages: str) -> str:
    """A row with messages, and a variable of its own for the template."""
    return f'{{"messages": [{", ".join(messages)}], "chat_template_kwargs": {{"keep": true}}}}\n'


def with_tools(*messages: str) -> str:
    """A row whose tools are a text of JSON."""
    tools = '[{\\"type\\": \\"function\\", \\"function\\": {\\"name\\": \\"look\\"}}]'
    return f'{{"messages": [{", ".join(messages)}], "tools": "{tools}"}}\n'


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            on_conversation(NO_SYSTEM, SYSTEM, ASKED, ANSWER % "so"),
            versions=TRL,
            says="leaves out the text of system messages: 'be kind' in row 1 of rows.jsonl",
        ),
        Bad(
            on_conversation(CUTS, ASKED, THOUGHT),
            versions=TRL,
            says="leaves out the reasoning of assistant messages: 'so it is'",
        ),
        Bad(
            on_conversation(CHATML, ASKED, CALL), versions=TRL, says="leaves out tool calls: 'look'"
        ),
        Bad(
            on_rows(CHATML, with_tools(ASKED, ANSWER % "so")),
            versions=TRL,
            says="leaves out the tools: 'look'",
        ),
        Bad(
            on_conversation(READS, ASKED, THINKING),
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            says="leaves out the reasoning of assistant messages (thinking): 'so it is'",
        ),
        Good(on_conversation(READS, ASKED, THINKING), versions=TRL),
        Good(
            on_conversation(READS, ASKED, BOTH),
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
        ),
        Good(on_conversation(CHATML, SYSTEM, ASKED, THOUGHT), versions=TRL),
        Good(on_rows(KEEPS, with_variables(ASKED, THOUGHT)), versions=TRL),
        Good(on_conversation(NO_SYSTEM, ASKED, ANSWER % " so "), versions=TRL),
    ),
)
