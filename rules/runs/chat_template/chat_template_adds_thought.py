"""The chat template writes a thought that no answer has.

The templates of some reasoning models put an empty thought, `<think></think>`, before the last
answer of a conversation that comes without one. SFT learns it like the answer: the model learns to
answer without thinking, also where it is meant to think. No error is raised.

Remedy: if the model is to think, give each answer its thought: in `reasoning_content`, or as
`<think>…</think>` in its content. If it is to answer at once, nothing has to be changed; generate
with `enable_thinking=False` then.

Versions: every trl. Local files of rows are examined, their first 64 rows.

Seen: QwenLM/Qwen3#1618; reproduced with SFT of trl 0.24.0 on a template that writes an empty
thought before the last answer: each row that is learned has one, and no row of the data.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.added_thoughts import rows_with_added_thought
from trl_doctor.facts.rows.own import data_key, in_rows
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.candidate import CHATML, on_conversation, on_rows


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "sft":
        raise NotConcerned("only SFT learns what the template writes")
    if rows := rows_with_added_thought(facts):
        where = in_rows(facts, rows[0], len(rows))
        yield Finding(
            facts.run.place(data_key(facts)),
            f"the chat template writes <think> into answers that have no thought, in {where}: the "
            "model learns to answer without thinking",
        )


THINKS = "('<think>\n\n</think>' if message['role'] == 'assistant' else '') + message['content']"
EMPTY = CHATML.replace("message['content']", THINKS)
ASKED = '{"role": "user", "content": "why"}'
ANSWER = '{"role": "assistant", "content": "so"}'
THOUGHT = '{"role": "assistant", "content": "<think>it is</think>so"}'
REASONED = '{"role": "assistant", "reasoning_content": "it is", "content": "so"}'
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="note",
    check=check,
    examples=(
        Bad(
            on_conversation(EMPTY, ASKED, ANSWER),
            versions=TRL,
            says="writes <think> into answers that have no thought, in row 1 of rows.jsonl",
        ),
        Good(on_conversation(CHATML, ASKED, ANSWER), versions=TRL),
        Good(on_conversation(EMPTY, ASKED, THOUGHT), versions=TRL),
        Good(on_conversation(EMPTY, ASKED, REASONED), versions=TRL),
        Good(on_rows(CHATML, '{"prompt": "why", "completion": "so"}\n'), versions=TRL),
    ),
)
