"""The end of a turn is outside the generation block.

With assistant_only_loss the loss is on the text between `{% generation %}` and `{% endgeneration
%}`. The token that ends the turn comes after it, so it is never learned: the loss looks healthy,
but the model does not stop before the length limit.

Remedy: write that token before `{% endgeneration %}` in the chat template.

Versions: SFT with assistant_only_loss, trl 0.19.0 and newer; from 1.6.0 on the log has a warning.

Seen: trl#6044 (GLM-4-MoE); reproduced with SFT of trl 0.19.1, 0.24.0 and 1.16.0 with such a
template: the batch has labels for the words of the answer and none for the end of the turn; with
the token inside the block it has one.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.chat_template import Chat, chat, template_place
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import tokenizer_facts

from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files

FIRST = Version("0.19.0")


def check(facts: Facts) -> Iterator[Finding]:
    trl, view = trl_of(facts), tokenizer_facts(facts)
    if known_trainer(facts) != "sft" or not facts.run.flag("assistant_only_loss"):
        raise NotConcerned("only SFT with assistant_only_loss is affected")
    if trl is not None and trl < FIRST:
        raise NotConcerned(f"trl {trl} has no assistant_only_loss")
    chat_format = view[chat]
    end, marked = _end(chat_format), _marked(chat_format)
    if not marked:
        raise NotConcerned("no answer is marked at all")
    if end is None or chat_format.trains_turn_end or marked.rstrip().endswith(end):
        return
    yield Finding(
        template_place(view),
        f"{end} ends a turn but is outside the generation block: "
        "with assistant_only_loss the model never learns to stop",
        evidence=(f"the block ends with {marked[-20:]!r}",),
    )


def _end(chat_format: Chat) -> str | None:
    """The token that ends the last turn, or else one that a question follows."""
    if chat_format.turn_end.token is not None:
        return chat_format.turn_end.token
    try:
        return chat_format.first_turn_end.token
    except Unavailable:
        return None


def _marked(chat_format: Chat) -> str:
    """The part of a single answer that the generation block contains."""
    rendered = chat_format.renderings.rendered("conversation")
    return "".join(rendered.text[start:end] for start, end in rendered.generation)


def _template(inside: str, outside: str) -> str:
    return (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
        "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] }}"
        f"{inside}{{% endgeneration %}}{outside}"
        "{% else %}{{ message['content'] }}<|im_end|>{% endif %}{{ '\n' }}{% endfor %}"
    )


INSIDE = tokenizer_files(chat_template=_template("<|im_end|>", ""))
OUTSIDE = tokenizer_files(chat_template=_template("", "<|im_end|>"))
SFT = {**RUN, "trainer": "sft", "assistant_only_loss": True}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(SFT, OUTSIDE, CONFIG),
            versions={"trl": "1.16.0"},
            says="<|im_end|> ends a turn but is outside the generation block",
        ),
        Bad(candidate(SFT, OUTSIDE, CONFIG), versions={"trl": "0.24.0", "transformers": "4.57.6"}),
        Good(candidate(SFT, INSIDE, CONFIG)),
        Good(candidate(SFT, tokenizer_files(), CONFIG)),
        Good(candidate({**SFT, "assistant_only_loss": False}, OUTSIDE, CONFIG)),
        Good(candidate(SFT, OUTSIDE, CONFIG), versions={"trl": "0.18.2"}),
    ),
)
