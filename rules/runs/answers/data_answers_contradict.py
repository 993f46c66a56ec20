"""The same answer is both wanted and not wanted.

In most rows an answer to a question is right, and in another row the same answer to the same
question is wrong: KTO has it with both labels, DPO and reward models have the same two answers both
ways round. A usual reason is one variable in both rows that are made of a vote. The rows say
nothing about which answer is better, so the model learns noise. Loss and rewards look normal.

Remedy: look at the code that makes the rows: give each answer its own label. Where several people
have voted, keep what most of them say.

Versions: every trl. Local files of rows are examined, their first 20,000 rows, and in a
rehearsal the rows as the trainer gets them. Some contradictions are normal where people vote; less
than half are not reported.

Seen: reproduced with KTO of trl 0.24.0 and DPO of 1.16.0: both rows of a vote have the first
answer. After training the margin between the right answers and the others is where it was.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.contradictions import contradicting_answers
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.rows.own import data_key, file_name
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

LABELS = ("kto", "bco")


def check(facts: Facts) -> Iterator[Finding]:
    if (both := facts[contradicting_answers]) is None:
        return
    labelled = known_trainer(facts) in LABELS
    what = "answers have both labels" if labelled else "pairs are there both ways round"
    file = "train_dataset" if rehearsed(facts) else file_name(facts)
    yield Finding(
        facts.run.place("train_dataset" if rehearsed(facts) else data_key(facts)),
        f"{both.number} of {both.answers} {what} in {file}: the rows do not say which answer is "
        "better",
    )


KTO: dict[str, Json] = {"trainer": "kto", "dataset_name": "rows.jsonl"}
DPO: dict[str, Json] = {"trainer": "dpo", "dataset_name": "rows.jsonl"}
QUESTIONS = "Why?", "How?", "Who?", "When?"
VOTE = (
    '{{"prompt": "{0}", "completion": "So.", "label": true}}\n'
    '{{"prompt": "{0}", "completion": "{1}", "label": false}}\n'
)
PAIR = '{{"prompt": "{0}", "chosen": "{1}", "rejected": "{2}"}}\n'


def _votes(other: str) -> str:
    return "".join(VOTE.format(question, other) for question in QUESTIONS)


def _pairs(first: tuple[str, str], second: tuple[str, str]) -> str:
    return "".join(
        PAIR.format(question, *pair) for question in QUESTIONS for pair in (first, second)
    )


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": KTO, "rows.jsonl": _votes("So.")},
            says="4 of 4 answers have both labels in rows.jsonl",
        ),
        Bad(
            {"run.json": DPO, "rows.jsonl": _pairs(("So.", "No."), ("No.", "So."))},
            says="4 of 4 pairs are there both ways round",
        ),
        Good({"run.json": KTO, "rows.jsonl": _votes("No.")}),
        Good({"run.json": KTO, "rows.jsonl": _votes("No.") + VOTE.format("Which?", "So.")}),
        Good({"run.json": DPO, "rows.jsonl": _pairs(("So.", "No."), ("So.", "Never."))}),
        Good({"run.json": {**KTO, "trainer": "sft"}, "rows.jsonl": _votes("So.")}),
    ),
)
