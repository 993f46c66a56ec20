"""The loss of the first training step is not finite.

From the first such step on every weight is NaN. The job goes on until it ends, or until generation
fails with "probability tensor contains either inf, nan or element < 0".

Remedy: train in bfloat16 or float32 instead of float16, and check that rewards and labels are
finite: look for a function that returns NaN, or a row without any target.

Versions: any. `logging_nan_inf_filter` of transformers' Trainer, on by default, logs 0 in place of
NaN.

Seen: R1-V#69, trl#1199. Reproduced: SFT of trl 0.19.1 and 0.24.0 on rows that max_length cuts
before their first target: the loss is NaN.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import FILES, GRADIENTS, TRL, answered

FINITE = "check that rewards and labels are finite, and that every row has a target"


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[stepped]
    wrong, gradients = list(answer.not_finite), answer.gradients
    if gradients and not gradients.finite and "grad_norm" not in wrong:
        wrong.append("gradients")
    if wrong:
        dtypes = gradients.dtypes if gradients else ("unknown",)
        yield Finding(
            facts.run.place(),
            f"the first step of {trainer(facts)} gives no finite {' and '.join(wrong)}",
            evidence=(
                *(f"{name}: {answer.log[name]}" for name in wrong if name in answer.log),
                f"trained weights are {', '.join(dtypes)}",
                *repeated(facts[step]),
            ),
            remedy="" if "float16" in dtypes or facts.run.flag("fp16") else FINITE,
            follows=("reward-not-finite", "argument-length-leaves-no-answer"),
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
