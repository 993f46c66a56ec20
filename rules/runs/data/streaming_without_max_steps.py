"""The data set is streamed, but max_steps is not set.

A stream has no length, so the trainer cannot compute the number of steps of an epoch. It fails when
it is created: "The train_dataset does not implement __len__, max_steps has to be specified".

Remedy: set `max_steps`, or load the data set without `streaming`.

Versions: every trl.

Seen: trl#6333. Reproduced with SFT on a stream with trl 0.12.2, 0.24.0 and 1.16.0: all three fail
with this error, and train with `max_steps=1`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.scripts import script

KEY = "dataset_streaming"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    tried = facts.get(rehearsal)
    if tried and tried.training_rows and tried.training_rows.endless:
        yield Finding(
            run.place("datasets"),
            "train_dataset is a stream, which has no length, and max_steps is not set",
        )
        return
    if not run.flag(KEY) or known_trainer(facts) == "ppo":
        raise NotConcerned("the run does not stream its rows")
    steps = run.number("max_steps", -1)
    if steps is None or steps <= 0:
        place = run.place(KEY)
        yield Finding(
            place, "the rows are streamed, but max_steps is not set: a stream has no length"
        )


STREAM = "rows = load_dataset('org/rows', split='train', streaming=True)\n"
TRL = {"trl": "1.16.0"}


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import TrainingRows

    from ..._recorded.rehearsal import FILES, rehearsed

    return (
        Bad(
            script("SFT", "model='org/m'", "num_train_epochs=1", STREAM),
            "train.py",
            versions=TRL,
            says="the rows are streamed, but max_steps is not set",
        ),
        Bad(
            {"run.json": {"trainer": "sft", "dataset_name": "a/b", KEY: True}},
            versions=TRL,
            says="max_steps is not set",
        ),
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(streamed=True, endless=True)),
            says="train_dataset is a stream, which has no length, and max_steps is not set",
        ),
        Good(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(training_rows=TrainingRows(rows=8)),
        ),
        Good(script("SFT", "model='org/m'", "max_steps=9", STREAM), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m'"), "train.py", versions=TRL),
    )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=examples,
)
