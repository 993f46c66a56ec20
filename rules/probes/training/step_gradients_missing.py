"""Parameters get no gradient in the first training step.

The optimizer holds parameters that the loss does not reach. If none gets a gradient, the job ends
with the model that it started with. Either all completions were masked, or gradient checkpointing
in its older form (`use_reentrant`) got inputs that need no gradient: with adapters lora_B stays
zero, with a frozen embedding no layer is trained, only what comes after them.

Remedy: let completions end, or switch mask_truncated_completions off. With adapters and frozen
embeddings set `gradient_checkpointing_kwargs: {use_reentrant: false}`.

Versions: any. trl 1.16.0 enables gradients of the inputs itself: with adapters and either kind of
checkpointing, SFT, DPO, KTO and Reward train.

Seen: trl#3476, transformers#42489, trl#3150, peft#137, open-unlearning#178. Reproduced: GRPO with
mask_truncated_completions and completions that never end, trl 1.16.0: none of the 20 parameters
gets a gradient. SFT of trl 0.24.0 with a frozen embedding and checkpointing: 0 of 18 weights of the
layers move, with the remedy 18. SFT of trl 1.16.0 with all weights frozen: it ends, and none moves.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.live import live
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.probes.answers.step import StepAnswer

from ..._recorded.step import COMPLETIONS, FILES, GRADIENTS, LABELS, TRL, answered

NUMBERS = ("argument-beta-zero", "argument-out-of-range", "argument-length-leaves-no-answer")
"""Rules about numbers with which a loss has no gradient."""

ATTENTION = re.compile(
    r"\.(?:self_attn|self_attention|attn|attention)\."
    r"(?:q_proj|o_proj|out_proj|c_attn|c_proj|qkv_proj|query_key_value|dense)\."
)
"""Names of weights that every text goes through."""

ON_CONDITION = re.compile(r"expert|vision|visual|image|audio|speech|cross|mtp", re.IGNORECASE)
"""Parts of names of what only some rows use."""


def check(facts: Facts) -> Iterator[Finding]:
    seen = facts.get(live)
    if seen is not None and seen.parameters and not seen.trained:
        yield _frozen(facts)
        return
    answer = facts[stepped]
    gradients = answer.gradients
    if gradients is None:
        raise Unavailable(
            "no optimizer step was seen: none was made, or each process has parts of the weights"
        )
    _something_to_learn(answer)
    count, idle = gradients.parameters, gradients.without_count + gradients.zero_count
    weights = [*gradients.without, *gradients.zero]
    place, again = facts.run.place(), repeated(facts[step])
    evidence = (f"without: {', '.join(weights[:4])}" + (", …" if idle > 4 else ""), *again)
    adapters = gradients.adapters
    if not count and not gradients.not_in_optimizer:
        yield _frozen(facts, again)
    elif not count:
        return  # step-optimizer-lacks-weights reports it
    elif idle == count:
        message = f"none of the {count} trained parameters of {trainer(facts)} gets a gradient"
        remedy = _remedy(answer, bool(adapters))
        yield Finding(place, message, evidence, remedy=remedy, follows=NUMBERS)
    elif adapters and gradients.adapters_idle == adapters:
        message = f"all {adapters} lora_B matrices get no gradient: the adapter learns nothing"
        yield Finding(place, message, evidence, severity="warning")
    elif gradients.without_count:
        some = gradients.without_count
        message = f"{some} of the {count} trained parameters get no gradient in the first step"
        if cut := [name for name in gradients.without if _always_used(name)]:
            message += f", {cut[0]} among them: these layers are not trained"
            yield Finding(place, message, evidence, severity="warning", remedy=CUT_OFF)
            return
        remedy = "this is normal for experts and image parts that no row uses; freeze the others"
        yield Finding(place, message, evidence, severity="note", remedy=remedy)


def _frozen(facts: Facts, evidence: tuple[str, ...] = ()) -> Finding:
    message = f"{trainer(facts)} trains nothing: all parameters of the model are frozen"
    return Finding(facts.run.place(), message, evidence, remedy=FROZEN)


def _always_used(name: str) -> bool:
    """Whether a weight is one that every text goes through."""
    return bool(ATTENTION.search(name)) and not ON_CONDITION.search(name)


def _remedy(answer: StepAnswer, adapters: bool) -> str:
    """What to do where the page's own remedy, about completions, does not fit; else ""."""
    if answer.completions is not None:
        return ""
    return CHECKPOINTING if adapters else UNREACHED


def _something_to_learn(answer: StepAnswer) -> None:
    """Raises `Unavailable` if neither labels nor completions can cause a gradient."""
    completions, labels = answer.completions, answer.labels
    if labels and labels.targets is not None and not any(labels.targets):
        raise Unavailable("no row has a target, so there is nothing to learn")
    if completions and completions.different < 2:
        raise Unavailable("all completions are the same, so there is nothing to learn")
    if answer.log.get("frac_reward_zero_std") == 1 or answer.log.get("reward_std") == 0:
        raise Unavailable("all completions of a prompt got the same reward: nothing to learn")
    if answer.log.get("clip_ratio/region_mean") == 1:
        raise Unavailable("all completions of this step were clipped, by chance or by dropout")
    if answer.log.get("completions/mean_length") == 0:
        raise Unavailable("the trainer left out all completions of the small model")
    if completions and not completions.ended:
        raise Unavailable("no completion of the small model ended, so all may be masked")


FROZEN = "take out what sets requires_grad to False, or pass a peft_config"
CHECKPOINTING = "set gradient_checkpointing_kwargs: {use_reentrant: false}"
CUT_OFF = (
    "set gradient_checkpointing_kwargs: {use_reentrant: false}, or call "
    "model.enable_input_require_grads() after the embedding is frozen; without gradient "
    "checkpointing look for what detaches the layers"
)
UNREACHED = "look at the labels of the rows: the loss does not depend on what is trained"

COUNT = GRADIENTS.parameters
LAYER = "model.layers.0.self_attn"
LORA = tuple(f"base_model.model.layers.{at}.q_proj.lora_B.default.weight" for at in range(2))
ALL_ZERO = replace(GRADIENTS, zero=("a",), zero_count=COUNT)
HALF = replace(GRADIENTS, parameters=4, adapters=2, zero=LORA, zero_count=2)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(HALF, adapters_idle=2)),
            says="all 2 lora_B matrices get no gradient",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=ALL_ZERO),
            says=f"none of the {COUNT} trained parameters",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(GRADIENTS, parameters=0)),
            says="trains nothing: all parameters of the model are frozen",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(gradients=replace(GRADIENTS, without=("a",), without_count=3)),
            says=f"3 of the {COUNT} trained parameters",
            severity="note",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(
                gradients=replace(
                    GRADIENTS, without=("a", f"{LAYER}.q_proj.weight"), without_count=9
                )
            ),
            says=f"9 of the {COUNT} trained parameters get no gradient in the first step, {LAYER}",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answered(
                gradients=replace(
                    GRADIENTS, without=(f"vision.{LAYER}.q_proj.weight",), without_count=1
                )
            ),
            says=f"1 of the {COUNT} trained parameters get no gradient in the first step",
            severity="note",
        ),
        Good(FILES, versions=TRL, answers=answered()),
        Good(
            FILES,
            versions=TRL,
            answers=answered(
                gradients=ALL_ZERO,
                completions=replace(COMPLETIONS, different=1),
            ),
            skipped="nothing to learn",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(
                gradients=ALL_ZERO,
                log={"frac_reward_zero_std": 1.0},
            ),
            skipped="got the same reward",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(
                gradients=ALL_ZERO,
                log={"clip_ratio/region_mean": 1.0},
            ),
            skipped="all completions of this step were clipped",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(labels=replace(LABELS, targets=(0, 0))),
            skipped="no row has a target",
        ),
        Good(FILES, versions=TRL, answers=answered(gradients=None), skipped="no optimizer step"),
    ),
)
