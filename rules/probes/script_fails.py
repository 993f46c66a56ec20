"""The training script fails with an error of its own.

The script was run unchanged, with small models and a few rows. It stopped before the end, in code
that belongs neither to the model nor to the trainer. The job stops there, too: code that saves or
evaluates is reached only after days.

Remedy: correct the line that the report names, and rehearse again.

Versions: any.

Seen: reproduced with scripts that read a key that no row has, that are written for Python 2, and
that fail after training.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.rehearsal import FILES, TRL, rehearsed

EXPLAINED = re.compile(
    r"refuses its arguments|not used by the HfArgumentParser|Unknown arguments from config file"
    r"|Trainer\.__init__\(\) got an unexpected keyword argument|Can't find 'adapter_config\.json'"
)
"""What other rules explain."""

NAN = "probability tensor contains"
SPOILT = ("weights-in-fp16-break-adam", "step-weights-not-finite", "step-loss-not-finite")
"""What generation says of a model whose weights are NaN, and the rules that find these."""


def check(facts: Facts) -> Iterator[Finding]:
    failure = facts[rehearsal].failure
    if failure is None:
        return
    if failure.whose == "machine":
        remedy = f" ({failure.remedy})" if failure.remedy else ""
        raise Unavailable(f"the rehearsal was not completed: {failure.message}{remedy}")
    if failure.whose == "script" and failure.kind != "gone":
        translation = known(failure.message)
        yield Finding(
            facts.run.place(),
            f"the script fails: {failure.message}",
            (*((f"cause: {translation.cause}",) if translation else ()), *failure.seen),
            remedy=translation.remedy if translation else failure.remedy,
            follows=("saved-model-does-not-load", *SPOILT * (NAN in failure.message)),
            error=failure.message if EXPLAINED.search(failure.message) else "",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed("KeyError: 'answer'", whose="script", kind="KeyError"),
            says="the script fails: KeyError: 'answer'",
        ),
        Good(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed("the package wandb is not installed", remedy="pip install wandb"),
            skipped="the package wandb is not installed (pip install wandb)",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
        Good(FILES, versions=TRL, answers=rehearsed()),
    ),
)
