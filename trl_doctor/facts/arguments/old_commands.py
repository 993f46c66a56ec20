"""Options of `trl sft` and its kind in releases whose commands trl-doctor has no classes of."""

from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import releases
from trl_doctor.facts.run import Run
from trl_doctor.machine.environment import Environment

KNOWN = Version("0.13.0")
"""The first release whose commands read classes that the history has.

Before it they had classes of their own for options like `--dataset_name`.
"""

COMMANDS = ("sft", "dpo", "kto")
"""The trainings that had a command then."""


def without_unknown(
    run: Run, environment: Environment, keys: tuple[str, ...], rest: Unavailable | None
) -> tuple[tuple[str, ...], Unavailable | None]:
    """The keys that a config has, or had, and why there may be others."""
    trl, trainer = environment.version("trl"), run.trainer
    if run.by_class or isinstance(trainer, Unavailable) or trainer.name not in COMMANDS:
        return keys, rest
    classes = (trainer.config, "ModelConfig")
    known = tuple(key for key in keys if any(releases.lifetimes(name, key) for name in classes))
    if trl is None or trl >= KNOWN or len(known) == len(keys):
        return keys, rest
    why = f"trl-doctor does not know all options of `trl {trainer.name}` of trl {trl}"
    return known, rest or Unavailable(why)
