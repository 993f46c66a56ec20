"""The script generates, and no answer was begun.

The script renders a question with the chat template and without `add_generation_prompt=True`. The
prompt ends with the user's turn. The model then writes the header of the answer itself, or goes on
with the user's text. What the script computes from such answers, for example exact matches, is too
low. There is no error.

Remedy: `apply_chat_template(messages, add_generation_prompt=True)`.

Versions: every transformers. Only a rehearsal sees it, and only where the script calls `generate`.

Seen: reproduced with SFT of trl 1.16.0: a model that answers half of the questions matches none of
them, because its answers begin with `assistant`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for slip in facts[rehearsal].slips:
        if slip.what == "closed prompts":
            yield Finding(
                facts.run.place(),
                f"{slip.place} generates from prompts that end with the user's turn: the chat "
                "template was not asked to begin the answer",
                remedy="pass add_generation_prompt=True to apply_chat_template",
            )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Slip

    from .._recorded.rehearsal import FILES, TRL, rehearsed

    slip = Slip("closed prompts", (), "train.py:30")
    return (
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(slips=(slip,)),
            says="train.py:30 generates from prompts that end with the user's turn",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
