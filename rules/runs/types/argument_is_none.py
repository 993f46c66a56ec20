"""An argument is None, where the trainer needs a value.

A script hands on what nobody has set, `max_steps=args.max_steps`, or a run file says `null`. For
these arguments None does not mean the default: the config, or the trainer when it starts, fails
with an error about NoneType, after the model was loaded.

Remedy: leave the argument out, or write the default that the finding names. For no evaluation and
no checkpoints write the word "no".

Versions: every release; None for warmup_ratio before transformers 5.0.0. PPO is left alone, which
counts its steps in another way.

Seen: reproduced with SFT, DPO and GRPO of trl 1.16.0 (transformers 5.23.0) and 0.24.0 (4.57.6), and
SFT of 0.15.2 (4.48.3), each argument alone, `temperature` and its like with GRPO: "'>' not
supported between instances of 'NoneType' and 'int'", "None is not a valid IntervalStrategy",
"unsupported operand type(s) for *: 'NoneType' and 'int'".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Reasons
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

from ..._recorded.scripts import script

TRAINERS = ("sft", "dpo", "grpo", "kto", "reward", "rloo")
DEFAULTS = {
    "per_device_train_batch_size": "8", "num_train_epochs": "3.0", "max_steps": "-1",
    "learning_rate": "", "lr_scheduler_type": '"linear"', "warmup_steps": "0", "optim": "",
    "weight_decay": "0.0", "adam_beta1": "0.9", "adam_beta2": "0.999", "adam_epsilon": "1e-8",
    "gradient_accumulation_steps": "1", "logging_strategy": '"steps"', "logging_steps": "",
    "log_level": '"passive"', "eval_strategy": '"no"', "save_strategy": '"no" or "steps"',
    "hub_strategy": '"every_save"', "seed": "42", "dataloader_drop_last": "False",
    "dataloader_num_workers": "0", "warmup_ratio": "0.0", "num_generations": "8",
    "num_iterations": "1", "epsilon": "0.2", "temperature": "", "beta": "", "loss_type": "",
    "importance_sampling_level": '"token"', "scale_rewards": '"group"',
    "top_entropy_quantile": "1.0", "eval_delay": "0", "label_smoothing_factor": "0.0",
    "log_level_replica": '"warning"', "max_grad_norm": "1.0", "truncation_mode": '"keep_start"',
}  # fmt: skip
"""What refuses None, with what to write instead: "" where that differs between releases."""

TAKES_NONE = {"warmup_ratio": Version("5.0.0")}
"""The first transformers that takes None."""

REFUSES_NONE = {
    "max_grad_norm": ("transformers", Version("5.23.0")),
    "truncation_mode": ("trl", Version("1.16.0")),
    **dict.fromkeys(
        ("temperature", "beta", "loss_type", "importance_sampling_level", "scale_rewards",
         "top_entropy_quantile", "eval_delay", "label_smoothing_factor", "log_level_replica"),
        ("trl", Version("0.24.0")),
    ),
}  # fmt: skip
"""The first release of a package of which it is known that it refuses None."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in TRAINERS:
        raise NotConcerned("which arguments this trainer needs was not tried")
    _, accepted = known_to_trl(facts)
    reasons = Reasons()
    for key, default in DEFAULTS.items():
        if key not in accepted.fields:
            continue
        with reasons.collected():
            given = key in facts.run.arguments and facts.run.arguments.get(key) is None
            if given and not _takes_none(facts, key):
                instead = f", or write {default}" if default else ""
                yield Finding(
                    facts.run.place(key),
                    f"{key} is None: the run stops with an error when it starts",
                    remedy=f"leave {key} out{instead}",
                )
    reasons.raise_any()


def _takes_none(facts: Facts, key: str) -> bool:
    """Whether this transformers reads None as it reads the default."""
    since, version = TAKES_NONE.get(key), facts.environment.version("transformers")
    if since is not None and (version is None or version >= since):
        return True
    package, first = REFUSES_NONE.get(key, ("trl", Version("0")))
    release = facts.environment.version(package)
    return key in REFUSES_NONE and (release is None or release < first)


TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
RUN = {"trainer": "grpo", "model_name_or_path": "m"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="NoneType|None is not a valid",
    examples=(
        Bad(
            script("SFT", "model='m'", "max_steps=None"),
            "train.py",
            versions=TRL,
            says="max_steps is None: the run stops with an error when it starts",
        ),
        Bad(
            {"run.json": {**RUN, "num_generations": None}},
            versions=TRL,
            says="num_generations is None",
        ),
        Bad({"run.json": {**RUN, "warmup_ratio": None}}, versions=OLD, says="warmup_ratio is None"),
        Good({"run.json": {**RUN, "warmup_ratio": None}}, versions=TRL),
        Bad({"run.json": {**RUN, "beta": None}}, versions=OLD, says="beta is None"),
        Good({"run.json": {**RUN, "max_grad_norm": None}}, versions=OLD),
        Good({"run.json": {**RUN, "save_total_limit": None, "max_steps": 5}}, versions=TRL),
        Good({"run.json": {**RUN, "trainer": "sft", "num_generations": None}}, versions=TRL),
        Good(script("SFT", "model='m'", "max_steps=steps"), "train.py", skipped="max_steps"),
    ),
)
