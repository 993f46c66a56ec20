"""The generation block has only a part of the answers.

With assistant_only_loss the loss is on the text between `{% generation %}` and `{% endgeneration
%}`. Answers outside of it are read and never learned, and the log shows a healthy loss.

Remedy: write the block around the content of every assistant message in the chat template. If the
model is to learn the last answer alone, leave this warning.

Versions: SFT with assistant_only_loss, trl 0.19.0 and newer. Local files of rows are examined,
their first 64 rows.

Seen: reproduced with SFT of trl 1.16.0 on rows with two answers: with a block around the last one
the batch has labels for this answer alone, with a block around each it has labels for both.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.lost_texts import unmarked_answers
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

from ..._recorded.candidate import on_conversation

FIRST, SHOWN = Version("0.19.0"), 40


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "sft" or not facts.run.flag("assistant_only_loss"):
        raise NotConcerned("only SFT with assistant_only_loss is affected")
    if trl is not None and trl < FIRST:
        raise NotConcerned(f"trl {trl} has no assistant_only_loss")
    place = facts.run.place(data_key(facts))
    if answer := unmarked_answers(facts):
        yield Finding(
            place,
            f"the generation block of the chat template does not have {answer.text[:SHOWN]!r}, an "
            f"answer in row {answer.row} of {file_name(facts)}: with assistant_only_loss it is not "
            "learned",
            (f"rows with such an answer: {answer.rows}",),
        )


EACH = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}"
    "<|im_end|>{% endif %}\n{% endfor %}"
)
LAST = EACH.replace("== 'assistant'", "== 'assistant' and loop.last")
ASKED, YES, NO = (
    '{"role": "user", "content": "why"}',
    '{"role": "assistant", "content": "yes"}',
    '{"role": "assistant", "content": "no"}',
)


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            on_conversation(LAST, ASKED, YES, ASKED, NO, assistant_only_loss=True),
            versions=TRL,
            says="does not have 'yes', an answer in row 1 of rows.jsonl",
        ),
        Good(on_conversation(EACH, ASKED, YES, ASKED, NO, assistant_only_loss=True), versions=TRL),
        Good(on_conversation(LAST, ASKED, YES, assistant_only_loss=True), versions=TRL),
        Good(on_conversation(LAST, ASKED, YES, ASKED, NO, assistant_only_loss=False), versions=TRL),
    ),
)
