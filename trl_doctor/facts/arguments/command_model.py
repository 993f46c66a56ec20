"""Arguments of the model that TRL's own commands accept and drop, by release."""

from __future__ import annotations

from packaging.version import Version

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.run_trainer import known_trainer, trl_of

HANDED_ON = {
    name: Version(text)
    for name, text in {"grpo": "0.26.0", "rloo": "1.5.0", "reward": "1.5.0", "kto": "1.8.0"}.items()
}
"""The first trl whose command hands the model's arguments on; `trl sft` and `trl dpo` always do."""

DROPPED = (
    "attn_implementation",
    "dtype",
    "torch_dtype",
    "load_in_4bit",
    "load_in_8bit",
    "model_revision",
)
"""The arguments of ModelConfig that such a command parses and does not use."""


LOADING = "model_init_kwargs"

REPLACED = {
    name: (Version(first), Version(fixed))
    for name, (first, fixed) in {"grpo": ("0.26.0", "1.5.0"), "sft": ("0.9.6", "0.16.0")}.items()
}
"""The first trl whose command puts its own options in place of `LOADING`, and the first after."""


def dropped_arguments(facts: Facts) -> list[str]:
    """The arguments of the model that the run sets and its command drops."""
    arguments, trl = facts.run.arguments, trl_of(facts)
    dropped = list(DROPPED) if dropping_command(facts) else []
    first, fixed = REPLACED.get(known_trainer(facts) or "", (None, None))
    if _by_command(facts) and first and fixed and trl and first <= trl < fixed:
        dropped.append(LOADING)
    return [key for key in dropped if arguments.get(key) not in (None, False, "main")]


def dropping_command(facts: Facts) -> str:
    """The command that drops these arguments, "`trl kto` of trl 0.24.0"; "" if the run's does not.

    A script creates the model itself, and is never meant.
    """
    trainer, trl = known_trainer(facts) or "", trl_of(facts)
    if not _by_command(facts) or trl is None or trainer not in HANDED_ON:
        return ""
    return own_command(facts) if trl < HANDED_ON[trainer] else ""


def own_command(facts: Facts) -> str:
    """The run's command in words: "`trl kto` of trl 0.24.0"."""
    return f"`trl {known_trainer(facts)}` of trl {trl_of(facts)}"


def _by_command(facts: Facts) -> bool:
    """Whether a command of TRL creates the model; a script does it itself, rehearsed or read."""
    return facts.run.target.kind == "run" and not facts.run.by_class
