"""A number stops the training, or turns it around.

Neither transformers nor TRL tests these numbers. With a number outside of its range the run ends
without an error, and the model has learnt nothing, or the opposite. Usually a minus sign is missing
(`adam_epsilon: 1e8`), a sign is too much, or a percentage stands where a share belongs.

Remedy: write a number inside of the range that the finding names, or remove the argument.

Versions: every release that has the argument. `adam_epsilon` counts for optimizers of the Adam
family only, which are the default.

Seen: each number was tried in a short run of a small model with trl 1.16.0, those of the optimizer
with 0.24.0 and 0.15.2, too (`python benchmarks/arguments.py`). Without it the run learns; with it
no weight moves, or the run learns nothing, a small part, or the opposite. DPO with the loss
discopop and its default `discopop_tau` of 0.05, 60 steps with trl 1.16.0: the margins fall to -0.12
and no pair is ranked rightly; with 0.2 they rise to 0.32, and all are.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.training.schedule import refuse_other_schedules

from .argument_learning_rate_too_large import ADAM


class Limit(Struct, frozen=True):
    """Numbers of an argument that are wrong, for some trainers or for all; and what they do."""

    key: str
    wrong: Callable[[float], bool]
    does: str
    usual: str
    trainers: tuple[str, ...] = ()
    severity: Severity | None = None


GROUPS = ("grpo", "rloo")
ALIKE = "the completions of a prompt are all alike, and nothing is learnt from their rewards"
OPPOSITE = "the run learns the opposite of its data"
LIMITS = (
    Limit("learning_rate", lambda rate: rate == 0, "no weight moves", "1e-7 to 1e-3",
          severity="error"),
    Limit("adam_epsilon", lambda epsilon: epsilon >= 0.01,
          "Adam divides every step by more than that, and the weights hardly move", "1e-8"),
    Limit("adam_epsilon", lambda epsilon: epsilon == 0,
          "Adam divides 0 by 0 for weights without a gradient, which become nan", "1e-8"),
    Limit("adam_beta2", lambda beta: 0 <= beta <= 0.1,
          "Adam forgets how large gradients are, and the weights explode", "0.95 to 0.999"),
    Limit("entropy_coef", lambda part: part >= 10,
          "the entropy outweighs the rewards", "0 to 0.01", GROUPS),
    Limit("weight_decay", lambda decay: decay < 0, "the weights grow in each step", "0 to 0.1"),
    Limit("label_smoothing_factor", lambda share: share >= 1,
          "the loss asks for all tokens alike, and not for the answers", "0 to 0.1", ("sft",)),
    Limit("label_smoothing", lambda share: share >= 0.5, OPPOSITE, "0 to 0.2", ("dpo",)),
    Limit("neftune_noise_alpha", lambda noise: noise >= 100,
          "the noise is much larger than the embeddings", "5 to 15"),
    Limit("desirable_weight", lambda weight: weight < 0, OPPOSITE, "1 to 1.33", ("kto",)),
    Limit("undesirable_weight", lambda weight: weight < 0, OPPOSITE, "1 to 1.33", ("kto",)),
    Limit("temperature", lambda heat: 0 < heat <= 0.05, ALIKE, "0.7 to 1", GROUPS),
    Limit("top_p", lambda share: 0 <= share <= 0.05, ALIKE, "0.9 to 1", GROUPS),
    Limit("top_k", lambda count: count == 1, ALIKE, "0, which is off, or 20 and more", GROUPS),
    Limit("delta", lambda bound: 0 < bound <= 1,
          "the ratio of each token is cut off there, and good completions teach nothing",
          "above 1 + epsilon", ("grpo",)),
    Limit("top_entropy_quantile", lambda share: share == 0,
          "only the tokens of the very highest entropy are trained", "0.2 to 1", ("grpo",)),
    Limit("min_p", lambda share: 0.9 <= share <= 1, ALIKE, "0 to 0.1", GROUPS),
    Limit("repetition_penalty", lambda penalty: 0 < penalty <= 0.1,
          "a completion repeats its tokens, and all of a prompt are alike", "1", GROUPS),
    Limit("beta", lambda beta: beta >= 5,
          "the distance to the reference outweighs the rewards", "0 to 0.1", GROUPS),
    Limit("beta", lambda beta: beta < 0,
          "the run moves away from the reference, whatever the rewards", "0 to 0.1", GROUPS),
    Limit("center_rewards_coefficient", lambda part: part < 0 or part >= 10,
          "this part of the loss is larger than the pairs'", "0.01", ("reward",)),
)  # fmt: skip
DECAY = 0.1
"""The share of a weight that is too much for a single step."""

TURNS = 0.1
"""Below (1 - ln 2) / 3 the slope of the loss discopop at a margin of 0 has the wrong sign."""

OF_OPTIMIZER = ("learning_rate", "adam_epsilon", "adam_beta2", "weight_decay")


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    trainer, run = known_trainer(facts), facts.run
    if run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    for limit in LIMITS:
        value = run.number(limit.key)
        if value is None or not limit.wrong(value):
            continue
        if limit.trainers and trainer not in limit.trainers:
            continue
        if limit.key in OF_OPTIMIZER:
            refuse_other_schedules(facts)
        if limit.key.startswith("adam") and not _is_adam(facts):
            continue
        if limit.key == "label_smoothing" and "robust" not in str(run.arguments.get("loss_type")):
            continue  # releases differ in which other losses read it
        yield Finding(
            run.place(limit.key),
            f"{limit.key} is {value:g}: {limit.does}",
            severity=limit.severity,
            remedy=f"usual values are {limit.usual}",
        )
    yield from _decay(facts)
    yield from _weights(facts, trainer)
    if trainer == "dpo":
        yield from _discopop(facts)


def _decay(facts: Facts) -> Iterator[Finding]:
    """A decay that takes away more in a step than a run can learn."""
    rate, decay = facts.run.number("learning_rate"), facts.run.number("weight_decay")
    if rate and decay and rate * decay >= DECAY and _is_adam(facts):
        refuse_other_schedules(facts)
        yield Finding(
            facts.run.place("weight_decay"),
            f"weight_decay is {decay:g}: each step shrinks all weights by {rate * decay:.0%}",
            remedy="usual values are 0 to 0.1",
        )


def _discopop(facts: Facts) -> Iterator[Finding]:
    """A temperature with which this loss of DPO falls where the margins fall, at their start."""
    run, losses = facts.run, facts.run.arguments.get("loss_type")
    tau = run.number("discopop_tau", 0.05)
    if losses not in ("discopop", ["discopop"]) or tau is None or not 0 < tau < TURNS:
        return
    default = "" if "discopop_tau" in run.arguments else " (its default)"
    yield Finding(
        run.place("loss_type" if default else "discopop_tau"),
        f"discopop_tau is {tau:g}{default}: margins start at 0, and there this loss pushes them "
        "below 0; they stay there",
        remedy="set discopop_tau to 0.2 or more, or choose another loss_type",
    )


def _is_adam(facts: Facts) -> bool:
    optimizer = facts.run.arguments.get("optim", "adamw")
    return isinstance(optimizer, str) and optimizer.lower().startswith(ADAM)


LISTS = {
    "reward_weights": (("grpo", "rloo"), "the rewards"),
    "loss_weights": (("dpo",), "the losses"),
}
"""Arguments with a weight for each function or loss, and the trainers that have them."""

CLIP = "reward_clip_range"


def _weights(facts: Facts, trainer: str | None) -> Iterator[Finding]:
    """Lists of weights that are all 0, or all negative; a range of rewards that holds none."""
    ends = facts.run.arguments.get(CLIP)
    if trainer == "rloo" and isinstance(ends, list) and len(ends) == 2:
        low, high = ends
        if isinstance(low, int | float) and isinstance(high, int | float) and low >= high:
            message = f"{CLIP} is {ends}: all rewards become {high:g}, and nothing is learnt"
            yield Finding(facts.run.place(CLIP), message, severity="error")
    for key, (trainers, of) in LISTS.items():
        value = facts.run.arguments.get(key)
        if trainer not in trainers or not isinstance(value, list) or not value:
            continue
        if any(isinstance(weight, bool) or not isinstance(weight, int | float) for weight in value):
            continue
        weights = [float(weight) for weight in value if isinstance(weight, int | float)]
        if not any(weights):
            place, does = facts.run.place(key), f"{of} have no effect, and nothing is learnt"
            yield Finding(place, f"all {key} are 0: {does}", severity="error")
        elif max(weights) <= 0:
            yield Finding(facts.run.place(key), f"no number of {key} is positive: {OPPOSITE}")


def _files(trainer: str, **arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "model_name_or_path": "m", **arguments}}


SCRIPT = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", learning_rate=0.0)
trainer = SFTTrainer(model="m", args=args, train_dataset=rows{more})
trainer.train()
"""
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files("sft", learning_rate=0.0), says="learning_rate is 0: no weight moves",
            severity="error"),
        Bad({"train.py": SCRIPT.format(more="")}, "train.py", says="no weight moves",
            severity="error"),
        Bad(_files("dpo", adam_epsilon=1e8), says="adam_epsilon is 1e+08: Adam divides"),
        Bad(_files("reward", adam_epsilon=0), says="Adam divides 0 by 0"),
        Bad(_files("kto", desirable_weight=-1.0), says="desirable_weight is -1: the run learns"),
        Bad(_files("sft", weight_decay=-0.01), says="weight_decay is -0.01: the weights grow"),
        Bad(_files("sft", weight_decay=1000.0, learning_rate=3e-3), says="all weights by 300%"),
        Bad(_files("dpo", label_smoothing=0.9, loss_type="robust"), says="label_smoothing is 0.9"),
        Bad(_files("grpo", temperature=0.01), says="temperature is 0.01: the completions of a"),
        Bad(_files("rloo", beta=10), says="beta is 10: the distance to the reference outweighs"),
        Bad(_files("rloo", reward_clip_range=[10, -10]), says="all rewards become -10",
            severity="error"),
        Bad(_files("grpo", reward_weights=[0, 0.0]), says="all reward_weights are 0",
            severity="error"),
        Bad(_files("dpo", loss_weights=[-1.0, -1.0]), says="no number of loss_weights is positive"),
        Bad(_files("dpo", loss_type="discopop"), says="discopop_tau is 0.05 (its default)"),
        Good(_files("dpo", loss_type="discopop", discopop_tau=0.2)),
        Good(_files("dpo", loss_type=["discopop", "sft"])),
        Good(_files("sft", learning_rate=1e-6, adam_epsilon=1e-6, weight_decay=0.1)),
        Good(_files("sft", adam_epsilon=1e8, optim="sgd")),
        Good(_files("dpo", label_smoothing_factor=1.0)),
        Good(_files("dpo", temperature=0.01, beta=10)),
        Good(_files("sft", weight_decay=1.0, learning_rate=1e-4)),
        Bad(_files("grpo", top_k=1), says="top_k is 1: the completions of a prompt are all alike"),
        Bad(_files("grpo", delta=0.2), says="delta is 0.2: the ratio of each token is cut off"),
        Bad(_files("grpo", top_entropy_quantile=0.0), says="only the tokens of the very highest"),
        Good(_files("grpo", top_k=0, delta=1.5, top_entropy_quantile=0.2)),
        Good(_files("rloo", beta=0.1, temperature=0.7, top_p=0.95, reward_clip_range=[-10, 10])),
        Good(_files("grpo", reward_weights=[1.0, -0.5])),
        Good({"train.py": SCRIPT.format(more=", optimizers=(mine, None)")}, "train.py",
             skipped="the script creates the optimizer"),
    ),
)  # fmt: skip
