"""What the commands of a release do with keys: `trl sft` of old ones, and `-m trl.scripts.…`."""

from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.run import Run
from trl_doctor.machine.environment import Environment

KNOWN = Version("0.13.0")
"""The first release whose commands read classes that the history has.

Before it they had classes of their own for options like `--dataset_name`.
"""

COMMANDS = ("sft", "dpo", "kto")
"""The trainings that had a command then."""


REFUSING_OPTIONS = Version("1.0.0")
"""From this release on `python -m trl.scripts.…` refuses options that no class has."""


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


def started_directly(facts: Facts, keys: tuple[str, ...]) -> tuple[bool, frozenset[str]]:
    """Whether a launcher starts TRL's own module, and the keys that this refuses then."""
    launch = facts.run.target.launch
    if launch is None or not launch.command or launch.whole[0].text.endswith("trl"):
        return False, frozenset()
    trl = facts.environment.version("trl") or releases.newest_release()
    on_line = (key for key in keys if facts.run.place(key).file == facts.run.target.launched_by)
    return True, frozenset(on_line if trl >= REFUSING_OPTIONS else ())
