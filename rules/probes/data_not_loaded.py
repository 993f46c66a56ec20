"""The data set cannot be loaded.

The installed `datasets` loaded the data that the run names, with the run's own configuration and
split. It raised an error, and the job will raise it on every node.

Remedy: correct what the error names: use a split or configuration that exists, and rows of one
type.

Versions: any; the rule uses the installed release. Only local files are loaded.

Seen: datasets 5.2.0 and 5.0.1, `trl sft`: KeyError: 'training' of `dataset_train_split: training`,
"BuilderConfig 'main' not found" of `dataset_config: main`; StopIteration of a file without rows.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import data
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.rows.own import data_key
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.data import DataAnswer
from trl_doctor.probes.answers.error import Error

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.libraries import IMPORTS
from .._recorded.step import TRL


def check(facts: Facts) -> Iterator[Finding]:
    key = data_key(facts)
    answer = facts[data].measured()
    raised = answer.not_loaded
    if raised is None:
        if answer.rows == 0:
            yield Finding(facts.run.place(key), f"{answer.source} has no rows ({answer.split})")
        return
    if raised.contained or raised.memory or raised.disk:
        raise Unavailable(f"loading the rows: {raised.line}")
    error = f"{raised.type}: {raised.message}"
    place = named_in(facts, error)
    yield Finding(
        place if place.pointer else facts.run.place(key),
        f"{answer.source} cannot be loaded ({answer.split}): {raised.line}",
        error=error,
        follows=("data-rows-unreadable", "data-not-found"),
    )


RUNS: dict[str, Json] = {**RUN, "dataset_name": "rows", "dataset_train_split": "training"}
FILES = candidate(RUNS, TOKENIZER, CONFIG, {})
LOST = DataAnswer("rows", "training", Error("KeyError", "'training'"))
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers={**IMPORTS, "data": LOST},
            says="rows cannot be loaded (training): KeyError: 'training'",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers={**IMPORTS, "data": DataAnswer("rows", "train", rows=0)},
            says="rows has no rows (train)",
        ),
        Good(
            FILES,
            versions=TRL,
            answers={**IMPORTS, "data": DataAnswer("rows", "train", rows=8)},
        ),
    ),
)
