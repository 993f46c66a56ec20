"""The run evaluates on questions that it trains on.

The data set has several answers to a question, in rows of their own, and the rows were split one by
one: a question then has rows to train on and rows to evaluate on. The evaluation measures how well
the model knows these questions, and not new ones. Its loss falls while answers to new questions get
worse, and `load_best_model_at_end` keeps the wrong checkpoint. There is no error.

The same happens where a script makes a row of each answer of a conversation, with all that was said
before, and splits these rows: the model is evaluated on the first turns of a conversation that it
is trained on, or on its later ones.

Remedy: split the questions and not the rows: `train_test_split` of the list of different questions,
then `filter`; or `GroupShuffleSplit` of scikit-learn with the question as the group. Split
conversations before you make rows of their turns.

Versions: every trl. Only a rehearsal compares the rows: `prompt`, `question`, `instruction`, or a
conversation without its last turn. Not reported: a question that a fifth of the rows ask, a row
without a question, and rows that are the same in both parts, which `evaluation-of-training-rows`
reports. Of conversations half of the rows to evaluate on have to begin, or go on with, one that is
trained on, the whole of it.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: `train_test_split(test_size=0.2)` of 16
questions with 4 answers each: the questions of all 13 rows to evaluate on are trained on.
h2o-llmstudio#422: reproduced with SFT of 1.16.0 and a row for each of the three answers of six
conversations: after 30 epochs the loss of the evaluation is 0.79, where the conversations were
split first 1.54.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsal
from trl_doctor.facts.rule import Answers, Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from .evaluation_of_training_rows import FILES, PPO, SAMPLED, SHARE, TRL

TALKS = "conversations split"
SPLIT = (
    "{0} of {1} rows to evaluate on begin or go on with a conversation that is also trained on: "
    "its turns are rows of their own, and were split as such"
)
BEFORE = "split the conversations, and make rows of their turns afterwards"


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) in SAMPLED:
        raise NotConcerned("this trainer only prints samples for the rows to evaluate on")
    if talks := [*mistake_findings(facts, {TALKS: SPLIT}, remedy=BEFORE)]:
        yield from talks
        return
    rows = facts[rehearsal].training_rows
    if rows is None or rows.shared_questions is None:
        raise NotConcerned("the trainer gets no two data sets whose questions can be compared")
    same, compared = rows.shared_questions
    rows_again = rows.repeated[0] if rows.repeated else 0
    if same < SHARE * compared or rows_again >= SHARE * compared:
        return
    yield Finding(
        facts.run.place(),
        f"{same} of {compared} rows to evaluate on ask a question that is also trained on, with "
        "another answer",
    )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import mistake, rehearsed

    def given(again: tuple[int, int] | None, rows: tuple[int, int] | None = (0, 13)) -> Answers:
        return rehearsed(training_rows=TrainingRows(repeated=rows, shared_questions=again))

    says = "13 of 13 rows to evaluate on ask a question that is also trained on, with another"
    return (
        Bad(FILES, versions=TRL, level="rehearsal", answers=given((13, 13)), says=says),
        mistake(TALKS, ("5", "6"), "", "5 of 6 rows to evaluate on begin or go on with"),
        Good(FILES, versions=TRL, level="rehearsal", answers=given((2, 13))),
        Good(FILES, versions=TRL, level="rehearsal", answers=given((13, 13), (13, 13))),
        Good(FILES, versions=TRL, level="rehearsal", answers=given(None)),
        Good(PPO, versions=TRL, level="rehearsal", answers=given((13, 13))),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
