"""The first step of the optimizer leaves nan in the weights.

The loss and the gradients of the first step are finite, but what the optimizer computes from them
is not. From the second step on every number is nan. The log shows a loss of 0 and no error:
`logging_nan_inf_filter` of transformers, on by default, writes 0 in place of nan. The saved model
is useless.

Remedy: load the weights in float32 (`dtype: float32`) and compute with `bf16: true`; keep
`adam_epsilon` at 1e-8.

Versions: any.

Seen: trl#1789. Reproduced with weights in float16 and AdamW that is not fused (all weights are nan
after the first step, trl 0.12.2 to 1.16.0).
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import FILES, GRADIENTS, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    gradients = facts[stepped].gradients
    if gradients is None:
        raise Unavailable("no optimizer step was seen")
    if not gradients.finite or not gradients.not_finite_count:
        return
    names = ", ".join(name for name in gradients.not_finite[:3] if name)
    yield Finding(
        facts.run.place(),
        f"the first step of {trainer(facts)} leaves nan or infinity in "
        f"{gradients.not_finite_count} of {gradients.parameters} weights: its loss is finite, "
        "the next one is nan",
        evidence=(
            f"{gradients.optimizer} on weights in {' and '.join(gradients.dtypes)}",
            *([f"weights: {names}"] if names else []),
            *repeated(facts[step]),
        ),
        follows=(
            "weights-in-fp16-break-adam",
            "weights-in-fp16-with-fp16",
            "argument-out-of-range",
        ),
    )


LOST = replace(GRADIENTS, dtypes=("float16",), not_finite=("lm_head.weight",), not_finite_count=20)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=LOST),
            says="leaves nan or infinity in 20 of",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(LOST, finite=False, norm=float("nan"))),
        ),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
