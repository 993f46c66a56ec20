"""The optimizer's first step hardly moves the weights.

A weight in bfloat16 has eight bits of precision: adding a step of 1e-6 gives the same number again,
except for very small weights. The loss curve looks normal and the log shows gradients, but the
saved model is nearly the one that was loaded.

Remedy: load the weights in float32 (`dtype: float32`, in older releases `torch_dtype`) and let
autocast compute in bfloat16 (`bf16: true`); or raise the learning rate.

Versions: any; trl 1.12.0 and 1.16.0 load in float32 unless the run sets another dtype. Only steps
of Adam and similar optimizers are judged: their size is the learning rate, whatever the gradients
of a small random model are. With `deepspeed`, `fsdp` or an accelerate_config that uses them the
rule does not apply: they may keep float32 copies (see weights-in-bf16-do-not-move), and the small
step runs without them.

Seen: measured on a small Llama, trl 1.16.0, AdamW, weights in bfloat16, share of the weights with a
gradient that one step moves: 0.1 % at 1e-7, 1.1 % at 1e-6, 5 % at 5e-6, 10 % at 1e-5, 19 % at 2e-5,
56 % at 1e-4. In float32 more than 99.9 % at all of them.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.measured.weights_that_move import HARDLY, LITTLE, refuse_copies
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import FILES, GRADIENTS, TRL, answered


def check(facts: Facts) -> Iterator[Finding]:
    gradients = facts[stepped].gradients
    if gradients is None:
        raise Unavailable(
            "no optimizer step was seen: none was made, or each process has parts of the weights"
        )
    if "Adam" not in gradients.optimizer:
        raise NotConcerned(
            f"only Adam and similar optimizers are judged: this one is {gradients.optimizer}"
        )
    if not gradients.elements or not gradients.finite:
        raise Unavailable("there was no gradient to move a weight")
    moved = gradients.moved
    if moved >= LITTLE:
        return
    refuse_copies(facts)
    alone = facts.run.processes == 1
    rates = ", ".join(f"{rate:g}" for rate in gradients.learning_rates)
    dtypes = " and ".join(gradients.dtypes)
    yield Finding(
        facts.run.place("learning_rate"),
        f"one step of {trainer(facts)} moves {moved:.1%} of the weights that have a gradient: "
        f"they are {dtypes}, the learning rate is {rates}"
        + ("" if alone else ", unless DeepSpeed or FSDP keeps float32 copies"),
        evidence=(f"{gradients.optimizer} on a small model", *repeated(facts[step])),
        severity=None if moved < HARDLY and alone else "warning",
        remedy="" if "float16" in dtypes else "raise learning_rate",
        follows=("argument-out-of-range", "weights-in-bf16-do-not-move"),
    )


BF16 = replace(GRADIENTS, dtypes=("bfloat16",), moved=0.0106)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate({**RUN, "num_processes": 1}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(gradients=BF16),
            says="moves 1.1% of the weights that have a gradient: they are bfloat16, the learning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(BF16, moved=0.0977)),
            says="9.8%",
            severity="warning",
        ),
        Bad(
            candidate({**RUN, "num_processes": 8}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(gradients=BF16),
            says="unless DeepSpeed or FSDP keeps float32 copies",
            severity="warning",
        ),
        Good(
            candidate({**RUN, "deepspeed": "zero3.json"}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(gradients=BF16),
            skipped="with deepspeed float32 copies of the weights may be kept",
        ),
        Good(
            candidate({**RUN, "fsdp": "full_shard auto_wrap"}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(gradients=BF16),
            skipped="with fsdp",
        ),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(BF16, moved=0.19))),
        Good(FILES, versions=TRL, answers=answered()),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(BF16, optimizer="SGD"))),
        Good(FILES, versions=TRL, answers=answered(gradients=replace(BF16, optimizer="Adafactor"))),
        Good(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(GRADIENTS, elements=0)),
            skipped="no gradient to move",
        ),
    ),
)
