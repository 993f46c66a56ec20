"""The optimizer lacks weights that should be trained.

A script that makes its own optimizer chooses the weights that learn. If it was made before the
adapter was put on the model, or before a layer was replaced, it holds the old weights. The loss is
computed, gradients appear in the log, and the saved adapter is the one that training began with. No
error is raised.

Remedy: make the optimizer after `get_peft_model`, of the weights with `requires_grad`, and pass no
`peft_config` to the trainer; or leave the optimizer to the trainer (`learning_rate`, `optim`).

Versions: every trl.

Seen: reproduced with SFT of trl 1.16.0: `AdamW(model.parameters())`, then a trainer with
`peft_config`: after ten steps all lora_B are zero.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import FILES, GRADIENTS, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    gradients = facts[stepped].gradients
    if gradients is None:
        raise Unavailable(
            "no optimizer step was seen: none was made, or each process has parts of the weights"
        )
    lacking = gradients.not_in_optimizer_count
    if not lacking:
        return
    names = ", ".join(gradients.not_in_optimizer[:3]) + (", …" if lacking > 3 else "")
    whole = not gradients.parameters
    if whole:
        message = f"the optimizer holds none of the {lacking} weights that can learn: none moves"
    else:
        message = f"the optimizer lacks {lacking} weights that can learn: they stay as they are"
    yield Finding(
        facts.run.place(),
        message,
        (f"not in {gradients.optimizer}: {names}",),
        severity=None if whole else "warning",
    )


NONE = replace(
    GRADIENTS, parameters=0, not_in_optimizer=("lora_A", "lora_B"), not_in_optimizer_count=2
)
SOME = replace(GRADIENTS, not_in_optimizer=("score.weight",), not_in_optimizer_count=1)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=NONE),
            says="the optimizer holds none of the 2 weights that can learn",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=SOME),
            says="the optimizer lacks 1 weights that can learn",
            severity="warning",
        ),
        Good(FILES, versions=TRL, answers=answered()),
        Good(FILES, versions=TRL, answers=answered(gradients=None), skipped="no optimizer step"),
    ),
)
