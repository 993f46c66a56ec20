"""Most right answers are longer than a completion may be.

The data set has a column with right answers, and most of them have more tokens than
`max_completion_length`. A completion is cut there, so it cannot hold such an answer: a function
that compares with it gives every completion the same, and the model learns nothing.

Remedy: raise `max_completion_length` to the longest answer and some room for reasoning; leave out
rows with longer ones. If only the end of the answer is compared, put it into a column of its own.

Versions: every trl with GRPOTrainer or RLOOTrainer.

Seen: reproduced with GRPO of trl 1.16.0: answers of 120 tokens, completions of 8, and a function
that searches the answer: rewards of 0, a loss of 0, and no weight moves.
"""

import statistics
from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import data
from trl_doctor.facts.measured.rewards import LONGEST, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.probes.answers.data import DataAnswer, GoldLengths

from ..._recorded.libraries import IMPORTS
from ..._recorded.rewards import FILES, RUN, TRL

KEY = "max_completion_length"
SHARE = 0.5
"""Of the answers, which must be longer."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO are affected")
    tried = facts.get(rewards)
    if tried and tried.measured.rows and not any(f.trial.reads_gold for f in tried.functions):
        raise NotConcerned("no reward function reads a right answer")
    gold = facts[data].measured().gold
    if gold is None or not gold.lengths:
        raise Unavailable("no column of the data looks like the right answer")
    limit = int(facts.run.number(KEY, LONGEST) or LONGEST)
    longer = [length for length in gold.lengths if length > limit]
    if len(longer) > SHARE * len(gold.lengths):
        median = statistics.median_high(gold.lengths)
        yield Finding(
            facts.run.place(*([KEY] if KEY in facts.run.arguments else [])),
            f"{len(longer)} of {len(gold.lengths)} right answers in {gold.column} are longer than "
            f"{KEY} {limit}",
            (f"tokens of an answer: median {median}, at most {max(gold.lengths)}",),
        )


WELL = DataAnswer("rows", "train", rows=3, prepared=3, gold=GoldLengths("solution", (3, 4, 300)))
LONG = replace(WELL, gold=GoldLengths("solution", (3, 290, 300)))
ROWS = {**FILES, "run.json": {**RUN, "dataset_name": "rows"}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            ROWS,
            versions=TRL,
            answers={**IMPORTS, "data": LONG},
            says="2 of 3 right answers in solution are longer than max_completion_length 256",
        ),
        Good(ROWS, versions=TRL, answers={**IMPORTS, "data": WELL}),
        Good(
            ROWS,
            versions=TRL,
            answers={**IMPORTS, "data": replace(WELL, gold=None)},
            skipped="no column",
        ),
    ),
)
