"""A reward function rewards no answer of some rows.

The function rewards the right answers of most rows, but in some rows no form of the right answer
gets more than garbage. Often these answers have a comma (`1,250`), a unit, a fraction or a blank,
and the function writes the answer of the completion in another way. All completions of such a row
get the same reward, and what the model answers rightly there is never learnt.

Remedy: bring both to one form before you compare them, or drop these rows: `dataset.filter`.

Versions: every trl with GRPOTrainer. Only a rehearsal sees it: it tries up to 64 rows, with the
answer as it is and in other spellings. Rows that a column tells from the others are left out: the
function may leave them to another one.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: `re.findall(r"\\d+", text)[-1]` is compared
with the text `1,250`.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        lost, tried = function.trial.unpaid, function.trial.rows_tried
        if not function.counted or not lost or len(lost) * 2 >= tried:
            continue
        row, text = lost[0]
        yield Finding(
            place(facts, function),
            f"{function.name} rewards no answer of {len(lost)} of {tried} rows: the right answer "
            f"{text!r} of row {row + 1} gets what garbage gets",
            (f"tried: {text!r} in the usual forms and in other spellings", *defined(function)),
        )
    refuse_unjudged(answer)


SOME = replace(returned(), rows_tried=40, unpaid=((6, "1,250"), (9, "2,000")))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(SOME),
            says="mine.score rewards no answer of 2 of 40 rows: the right answer '1,250' of row 7",
        ),
        Good(FILES, versions=TRL, answers=answers(replace(SOME, rows_tried=3))),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
