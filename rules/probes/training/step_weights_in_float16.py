"""Some of the weights that AdamW trains are in float16.

In float16 AdamW's epsilon of 1e-8 is 0, and so are the squares of small gradients. It then divides
by 0, and a weight becomes nan in the first step in which its gradient is small. From then on every
number is nan. The log shows a loss of 0, because transformers writes 0 in place of nan. PEFT keeps
an adapter in float32, but not the layers that it trains as a whole: the head of a classifier or of
a reward model (`TaskType.SEQ_CLS` adds it), and `modules_to_save`.

Remedy: load the model in float32 (`dtype: float32`, in older releases `torch_dtype`), or in
bfloat16.

Versions: every release. With `fp16`, with DeepSpeed or FSDP, with an epsilon of 3e-8 or more, and
with other optimizers, the rule does not apply.

Seen: peft#1522. Reproduced with peft 0.17.1 and LoRA on a sequence classifier in float16: after the
first step 12 of the 128 weights of its head are infinite, after the second all weights are nan.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import FILES, GRADIENTS, TRL, answered

HALF, ADAM = "float16", ("AdamW", "Adam")
PLAIN = ("adamw_torch", "adamw_hf", "adamw_torch_fused")
SMALLEST = 3e-8
"""A smaller number is 0 in float16."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    gradients = facts[stepped].gradients
    if gradients is None:
        raise Unavailable("no optimizer step was seen")
    stated = str(run.arguments.get("optim") or PLAIN[0]).lower().removeprefix("optimizernames.")
    if gradients.optimizer not in ADAM or stated not in PLAIN:
        raise NotConcerned(f"the optimizer is {gradients.optimizer}")
    if run.flag("fp16"):
        raise NotConcerned("fp16 is on")
    if (run.number("adam_epsilon") or 1e-8) >= SMALLEST:
        raise NotConcerned("the epsilon is no 0 in float16")
    if HALF not in gradients.dtypes or gradients.not_finite_count:
        return
    others = [kind for kind in gradients.dtypes if kind != HALF]
    beside = f" (others are in {' and '.join(others)})" if others else ""
    yield Finding(
        run.place(),
        f"{gradients.optimizer} trains weights in float16{beside}: they become nan in the first "
        "step with a small gradient, and then all are",
        follows=("weights-in-fp16-break-adam", "weights-in-fp16-with-fp16"),
    )


SOME = replace(GRADIENTS, dtypes=("float16", "float32"), optimizer="AdamW")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=SOME),
            says="AdamW trains weights in float16 (others are in float32): they become nan in the",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(SOME, dtypes=("float16",))),
            says="AdamW trains weights in float16: they become nan",
        ),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(SOME, not_finite_count=3))),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(SOME, dtypes=("bfloat16",)))),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(SOME, optimizer="SGD"))),
        Good(FILES, versions=TRL, answers=answered()),
    ),
)
