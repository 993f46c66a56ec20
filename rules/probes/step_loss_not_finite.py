"""The first training step gives a loss that is not finite.

From the first such step on every weight is NaN, and the job goes on until it ends or generation
fails with "probability tensor contains either inf, nan or element < 0".

Remedy: train in bfloat16 or float32 instead of float16, and see that rewards and labels are finite:
a function that gives NaN, a row in which no target is left.

Versions: any. Trainer's `logging_nan_inf_filter`, on by default, logs 0 in place of NaN.

Seen: R1-V#69, trl#1199. Ran: SFT of rows in which max_length leaves no target, trl 0.19.1 and
0.24.0: the loss is NaN.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated, trainer
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.step import FILES, GRADIENTS, TRL, answered

FINITE = "see that rewards and labels are finite, and that every row keeps a target"


def check(facts: Facts) -> Iterator[Finding]:
    found = facts[stepped]
    wrong, gradients = list(found.not_finite), found.gradients
    if gradients and not gradients.finite and "grad_norm" not in wrong:
        wrong.append("gradients")
    if wrong:
        dtypes = gradients.dtypes if gradients else ("unknown",)
        yield Finding(
            facts.run.place(),
            f"the first step of {trainer(facts)} gives no finite {' and '.join(wrong)}",
            evidence=(
                *(f"{name}: {found.log[name]}" for name in wrong if name in found.log),
                f"trained weights are {', '.join(dtypes)}",
                *repeated(facts[step]),
            ),
            remedy="" if "float16" in dtypes or facts.run.flag("fp16") else FINITE,
            follows=("reward-not-finite",),
        )


NAN = float("nan")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(
                loss=NAN,
                not_finite=("grad_norm", "loss"),
                log={"loss": NAN, "grad_norm": NAN},
                gradients=replace(GRADIENTS, finite=False, norm=NAN),
            ),
            says="gives no finite grad_norm and loss",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(GRADIENTS, finite=False, norm=NAN)),
            says="gives no finite gradients",
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
