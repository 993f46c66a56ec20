"""The script's own lines that make its rows raise an error.

The statements that make `train_dataset` were run, without the rest of the script. The job fails at
the same line: often after it has loaded the model.

Remedy: correct the line that the report names, or the rows that it reads: a column with another
name, a row without a key that all others have.

Versions: any. Of a script whose lines cannot be followed without running them, the statements that
its rows need are run from level `tiny` on. An error of a library for models counts as not known, as
do missing files and what a probe may not do.

Seen: trl 1.16.0 and 0.24.0, `rows.append(row["anwser"])` in a loop over the lines of a file: the
script ends with KeyError: 'anwser', also as it is; with the right name it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.rows.own import are_run
from trl_doctor.facts.rows.run_part import lines_raise
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.script_rows import ScriptRows

from .._recorded.libraries import IMPORTS
from .._recorded.step import TRL


def check(facts: Facts) -> Iterator[Finding]:
    if not are_run(facts):
        raise NotConcerned("no lines of a script were run to make its rows")
    error = facts[lines_raise]
    if error is None:
        return
    inside = f" in {error.function}" if error.function != "<module>" else ""
    translation = known(f"{error.raised.type}: {error.raised.message}")
    yield Finding(
        error.place,
        f"the script's own lines that make its rows raise an error{inside}: {error.raised.line}",
        (*((f"cause: {translation.cause}",) if translation else ()), *error.raised.seen),
        remedy=translation.remedy if translation else "",
    )


SCRIPT = """\
import json
from datasets import Dataset
from trl import SFTConfig, SFTTrainer
rows = []
for line in open("rows.jsonl"):
    rows.append({"text": json.loads(line)["anwser"]})
SFTTrainer(args=SFTConfig("out"), train_dataset=Dataset.from_list(rows), model="model")
"""
FILES = {"train.py": SCRIPT, "rows.jsonl": '{"answer": "Four."}\n'}
ROWS = Question("script_rows", "the rows that the script makes", {}, ScriptRows)
SEEN = (("train.py", 6, "<module>", 'rows.append({"text": json.loads(line)["anwser"]})'),)


def _raised(type: str, *frames: tuple[str, int, str, str]) -> Answer[ScriptRows]:
    raised = Raised(type, "'anwser'", frames or SEEN)
    return Answer(ROWS, "raised", reason=raised.line, raised=raised)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            "train.py",
            versions=TRL,
            answers={**IMPORTS, "script_rows": _raised("KeyError")},
            says="raise an error: KeyError: 'anwser'",
        ),
        Good(
            FILES,
            "train.py",
            versions=TRL,
            answers={**IMPORTS, "script_rows": ScriptRows(({"text": "Four."},), 1)},
        ),
        Good(
            FILES,
            "train.py",
            versions=TRL,
            answers={**IMPORTS, "script_rows": _raised("FileNotFoundError")},
            skipped="the rows that the script makes: FileNotFoundError",
        ),
    ),
)
