"""Rendered conversations end in no special token.

Nothing in the training text marks the end of an answer, so the model does not learn to stop. TRL
appends an eos to plain text and to prompt-completion pairs, but never to conversations.

Remedy: let the template write the eos after every answer: `{% if message['role'] == 'assistant'
%}{{ eos_token }}{% endif %}`.

Versions: every release.

Seen: trl#1623, trl#696, and the template that Qwen1.5 was published with; reproduced: trl 0.15.2,
0.24.0 and 1.16.0: SFT on such conversations has no label on a special token; with the remedy it has
one in every answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import chat, template_place
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens import tokenizer_facts, turn_ends

from ..._recorded.candidate import (
    CHATML,
    CONFIG,
    RUN,
    TOKENIZER,
    candidate,
    tokenizer_files,
)


def check(facts: Facts) -> Iterator[Finding]:
    turn, data = turn_ends.turn(facts), turn_ends.data_kind(facts)
    if data == "text":
        raise NotConcerned("the data are plain text: no chat template is used")
    if turn_ends.generates(facts) and known_trainer(facts) not in ("gkd", "gold"):
        raise NotConcerned(
            "the trainer trains on what the model generates, not on rendered answers"
        )
    if turn.token is not None:
        return
    ending = f"only {turn.tail!r}" if turn.tail else "nothing"
    view = tokenizer_facts(facts)
    yield Finding(
        template_place(view),
        f"the chat template writes {ending} after the last answer: {_consequence(view)}",
        severity=None if data == "conversations" else "warning",
    )


def _consequence(view: Facts) -> str:
    """What the model learns, given how the turns end that another question follows."""
    try:
        first = view[chat].first_turn_end.token
    except Unavailable:
        first = None
    if first is None:
        return "nothing teaches the model to stop"
    return (
        f"only earlier answers end with {first}, so a single answer does not "
        "teach the model to stop"
    )


PLAIN = CHATML.replace("<|im_end|>", "").replace("<|im_start|>", "# ")
LAST = CHATML.replace("'<|im_end|>\n'", "('' if loop.last else '<|im_end|>\n')")
SFT = {**RUN, "trainer": "sft"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(SFT, tokenizer_files(chat_template=PLAIN), CONFIG),
            says=r"writes only '\n' after the last answer",
        ),
        Bad(
            candidate({**SFT, "dataset_format": None}, tokenizer_files(chat_template=LAST), CONFIG),
            says="only earlier answers end with <|im_end|>",
            severity="warning",
        ),
        Good(candidate(SFT, TOKENIZER, CONFIG)),
        Good(candidate({**SFT, "dataset_format": "text"}, tokenizer_files(chat_template=PLAIN))),
    ),
)
