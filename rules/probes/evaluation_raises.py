"""The first evaluation raises an error.

After the first real step on a small model of the same architecture, the trainer evaluated two rows
with the run's own arguments; a rehearsal also looked for `metric_for_best_model` in the result.
That raised an error: the job would fail at its first evaluation, which can be hours after its
start.

Remedy: correct what the error names, or set `eval_strategy: "no"`.

Versions: any; the rule uses the installed release.

Seen: reproduced with `trl sft` of trl 1.16.0 and 0.24.0 and `eval_accumulation_steps: 0`, which
evaluates with "ZeroDivisionError: integer modulo by zero"; without it the run succeeds.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.error_place import named_in
from trl_doctor.facts.measured.known_error import Known
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.step_failure import calls_of, own_later_failure
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.error import Error

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from .._recorded.step import FILES, TRL, answered, answers, well

CONCATENATES = "eval_do_concat_batches"
NO_ARRAY = re.compile(
    r"list indices must be integers or slices, not|'list' object has no attribute|inhomogeneous"
)
BATCHES_APART = Known(
    NO_ARRAY.pattern,
    "`eval_do_concat_batches: false` gives compute_metrics lists of batches in place of arrays",
    "remove `eval_do_concat_batches`, or let compute_metrics go through the batches",
)


def check(facts: Facts) -> Iterator[Finding]:
    raised = own_later_failure(facts, lambda step: step.not_evaluated, "evaluating", "evaluated")
    if raised is None:
        return
    error = f"{raised.type}: {raised.message}"
    apart = facts.run.arguments.get(CONCATENATES) is False and NO_ARRAY.search(error)
    translation = BATCHES_APART if apart else known(error)
    yield Finding(
        facts.run.place(CONCATENATES) if apart else named_in(facts, f"{error} {_read(raised)}"),
        f"{trainer(facts)} trains and then fails at its first evaluation: {raised.line}",
        evidence=(
            *((f"cause: {translation.cause}",) if translation else ()),
            *calls_of(raised.frames),
            *raised.seen,
        ),
        remedy=translation.remedy if translation else "",
        follows=("eval-batch-not-divisible-by-generations", "metric-never-logged"),
        error=error,
    )


def _read(raised: Error) -> str:
    """The arguments that the line reads which raised."""
    line = raised.frames[-1][3] if raised.frames else ""
    return " ".join(f"'{name}'" for name in re.findall(r"\bargs\.(\w+)", line))


LISTS = Error("TypeError", "list indices must be integers or slices, not tuple")
ZERO = Error("ZeroDivisionError", "integer modulo by zero")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(well(not_evaluated=ZERO), well()),
            says="fails at its first evaluation: ZeroDivisionError: integer modulo by zero",
        ),
        Bad(
            candidate({**RUN, CONCATENATES: False}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answers(well(not_evaluated=LISTS), well()),
            says="fails at its first evaluation: TypeError: list indices must be integers",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(well(not_evaluated=ZERO), well(not_evaluated=ZERO)),
            skipped="a healthy model cannot be evaluated either",
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
