"""The run evaluates on rows that it trains on.

The rows of `eval_dataset` are also in `train_dataset`. The evaluation then measures what the model
has memorised: its loss falls while answers to new questions get worse, early stopping never stops,
and `load_best_model_at_end` keeps the checkpoint that has memorised most.

Remedy: split once, `split = rows.train_test_split(test_size=0.1)`, and pass `split["train"]` and
`split["test"]`; remove repeated rows before. An evaluation on training rows beside another one is
named in a dictionary: `eval_dataset={"train": …, "test": …}`.

Versions: every trl. Only a rehearsal compares the rows. It has the first rows only; where these do
not show it, it looks at how both were chosen: two orders of the same rows, or two ranges with
common rows, are not kept apart. Columns that nothing is learned from may differ. Rows that were
copied, changed and put together before they were split have their twins in both parts: their
answers are compared. Rows that differ from one to train on by a few words, such as a greeting,
count, too, where the answer is the same: compared are the words that few rows have, six at least. A
script that speaks of robustness, consistency or paraphrases is left alone. PPO and RLOO are left
out: they print samples for these rows.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: `eval_dataset = rows.select(range(20))` of the
rows that are trained on; all 20 are in both. With `rows.shuffle(seed=1).select(range(200))` and
`rows.select(range(200, 240))` of 300 rows 28 of 40 are in both. Tickets that come back with a
greeting: dev.to/marcuswwchen.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Answers, Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

SAMPLED = ("ppo", "rloo")
"""Trainers that take no loss of an evaluation, RLOO in older releases."""

WHAT, COPIED, NEAR = "not kept apart", "copies split", "near copies"
SHARE = 0.5
"""Of the rows to evaluate on, from which on they are no test."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) in SAMPLED:
        raise NotConcerned("this trainer only prints samples for the rows to evaluate on")
    answer = facts[rehearsal]
    rows = answer.training_rows
    ways, near, copied = ([mistake.words for mistake in answer.mistakes_of(what)]
                          for what in (WHAT, NEAR, COPIED))  # fmt: skip
    if (rows is None or rows.repeated is None) and not ways + copied + near:
        raise NotConcerned("the trainer gets no two data sets whose rows can be compared")
    same, compared = (rows.repeated if rows else None) or (0, 1)
    if same >= SHARE * compared:
        yield Finding(
            facts.run.place(),
            f"{same} of {compared} rows of the evaluation data are also trained on: the evaluation "
            "does not measure new questions",
        )
    elif copied:
        yield Finding(
            facts.run.place(),
            f"{copied[0][0]} of {copied[0][1]} rows to evaluate on are copies of rows that are "
            "trained on: the rows were put together with their copies before they were split",
            remedy="split first, and copy only the rows to train on",
        )
    elif near:
        yield Finding(
            facts.run.place(),
            f"{near[0][0]} of {near[0][1]} rows to evaluate on are rows that are trained on, but "
            "for a few words: the evaluation does not measure new questions",
            remedy="keep a row and its changed copies in one part of the data",
        )
    elif ways:
        yield Finding(
            facts.run.place(),
            f"rows to evaluate on may also be trained on: eval_dataset is {_named(ways[0][1])} and "
            f"train_dataset {_named(ways[0][0])} of the same rows",
        )


def _named(way: str) -> str:
    """The calls that choose rows, in words."""
    return f"`{way}`" if way else "all"


FILES: dict[str, Json] = {"run.json": {"trainer": "sft", "model_name_or_path": "org/m"}}
PPO: dict[str, Json] = {"run.json": {"trainer": "ppo", "model_name_or_path": "org/m"}}
TRL = {"trl": "1.16.0"}


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import mistake, rehearsed

    def given(repeated: tuple[int, int] | None) -> Answers:
        return rehearsed(training_rows=TrainingRows(repeated=repeated))

    says = "20 of 20 rows of the evaluation data are also trained on"
    return (
        Bad(FILES, versions=TRL, level="rehearsal", answers=given((20, 20)), says=says),
        mistake(WHAT, ("shuffle(seed=1)", "select(range(9))"), "", "may also be trained on"),
        mistake(COPIED, ("27", "29"), "", "27 of 29 rows to evaluate on are copies of rows"),
        mistake(
            NEAR, ("3", "3"), "", "3 of 3 rows to evaluate on are rows that are trained on, but"
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=given((1, 20))),
        Good(FILES, versions=TRL, level="rehearsal", answers=given(None)),
        Good(PPO, versions=TRL, level="rehearsal", answers=given((4, 4))),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
