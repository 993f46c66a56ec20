"""The keys of a run file that its trainer does not take, and which program reads the file."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from packaging.version import Version

from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import PARSER_KEYS, Accepted, accepted, launch_options, releases
from trl_doctor.facts.library.releases import Lifetime
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import OWN_KEYS
from trl_doctor.files.programs import TELLING
from trl_doctor.machine.environment import Environment

SCRIPTS = frozenset(
    {
        *("benchmarks", "callbacks", "chat_template", "code_eval_test_batch_size", "code_language"),
        *("code_provider", "cosine_max_len", "data_mixer", "dataset_configs", "dataset_id_or_path"),
        *("dataset_mixer", "dataset_mixture", "dataset_prompt_column", "dataset_split"),
        *("dataset_splits", "e2b_router_url", "hub_model_revision", "overwrite_hub_revision"),
        *("preprocessing_num_workers", "push_to_hub_revision", "repetition_n_grams"),
        *("spectrum_config_path", "system_prompt", "wandb_entity", "wandb_run_group"),
    }
)
"""Keys that well-known scripts built on TRL (open-r1, alignment-handbook, …) add to its own."""

BESIDE = ("ModelConfig", "ScriptArguments", "DatasetMixtureConfig")
LAUNCHERS = frozenset({"nproc_per_node"})
STRANGE_SHARE = 1 / 3
"""Where more of the keys have never been TRL's, another program reads the file."""


@dataclass(frozen=True)
class Strange:
    """What a run file has that its trainer does not take, in the file's order.

    `switches` are options of `accelerate launch` that take no value. `script` is the key that
    shows that another script than TRL's own reads the file, "" for none: it may have keys of
    its own. `rest` is why there may be others, None where there are none.
    """

    trainer: Trainer
    accepted: Accepted
    keys: tuple[str, ...]
    switches: tuple[str, ...]
    script: str
    rest: Unavailable | None = None

    def refuse_to_be_clear(self) -> None:
        """Raise `Unavailable` where the run may have arguments that cannot be known."""
        if self.rest is not None:
            raise Unavailable(f"not all arguments are known: {self.rest}")

    @property
    def evidence(self) -> tuple[str, ...]:
        """What TRL does with such a key, which release was read, and why not the installed one."""
        name = self.trainer.name
        becomes = {
            "launched": f"`trl {name} --config` passes it to accelerate launch, which refuses it",
            "refused": f"`trl {name} --config` refuses it",
            "ignored": f"`trl {name} --config` drops it without a warning",
            "never read": f"`python -m trl.scripts.{name} --config` drops it without a warning",
            None: f"{self.trainer.config} refuses it: unexpected keyword argument",
        }
        fallback = f" ({self.accepted.fallback})" if self.accepted.fallback else ""
        unknown = None if self.script else self.accepted.unknown
        return becomes[unknown], f"source: {self.accepted.source}{fallback}"


def known_to_trl(facts: Facts) -> tuple[Trainer, Accepted]:
    """The run's trainer, and what it accepts.

    Raises `Unavailable` where the trainer is open or the file is another program's.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    known = accepted(facts.environment, run.trainer)
    return run.trainer, replace(known, unknown=None) if run.by_class else known


def strange(facts: Facts) -> Strange:
    """Raises like `known_to_trl`, and where the target's trl has no such trainer."""
    run = facts.run
    trainer, known = known_to_trl(facts)
    if run.program:
        raise Unavailable(f"this is a file of {run.program}: its keys are not TRL's")
    if run.replaced_by:
        raise Unavailable(
            f"{run.replaced_by} replaces TRL's classes: the arguments of its classes are not known"
        )
    if known.absent or not known.fields:
        raise Unavailable(known.absent or f"the arguments were read from {known.source}")
    fine = {*known.fields, *OWN_KEYS, *PARSER_KEYS, *LAUNCHERS}
    if run.by_class:
        fine = {*known.config, *run.beside}
    keys = tuple(key for key in run.arguments if key not in fine)
    launched = launch_options(facts.environment) if keys and not run.by_class else {}
    switches = tuple(key for key in keys if launched.get(key) is False)
    keys = tuple(key for key in keys if key not in launched)
    if run.trainer_from.startswith("inferred"):
        _no_doubt(facts.environment, trainer, keys)
    script = next((key for key in run.arguments if key in SCRIPTS and key in keys), "")
    rest = run.arguments.rest if isinstance(run.arguments, Partly) else None
    return Strange(trainer, known, keys, switches, script, rest)


def _no_doubt(environment: Environment, trainer: Trainer, keys: tuple[str, ...]) -> None:
    """Raises `Unavailable` where another trainer explains a key that the inferred one lacks."""
    for key in keys:
        names, still = takers(environment, key)
        if still and key not in SCRIPTS and not times(trainer, key):
            raise Unavailable(
                f"the trainer is not certain: {trainer.trainer} was inferred, but {names[0]} has "
                f"{key}; use `--trainer {trainer.name}`"
            )


def times(trainer: Trainer, key: str) -> tuple[Lifetime, ...]:
    """When the trainer's config, or a class that TRL's scripts parse beside it, had a key."""
    scripts = [f"{trainer.stem}ScriptArguments"] if trainer.name in ("grpo", "rloo") else []
    found = (releases.lifetimes(name, key) for name in (trainer.config, *scripts, *BESIDE))
    return next((spans for spans in found if spans), ())


def owner(trainer: Trainer, key: str) -> str:
    """The class that has, or had, a key."""
    scripts = f"{trainer.stem}ScriptArguments"
    names = (trainer.config, scripts, *BESIDE)
    return next((name for name in names if releases.lifetimes(name, key)), trainer.config)


def takers(environment: Environment, key: str) -> tuple[list[str], bool]:
    """The trainers that take a key in the target's release, or else once took it.

    Whether they still do is the second value.
    """
    trl = environment.version("trl") or releases.newest_release()
    spans = {one.trainer: releases.lifetimes(one.config, key) for one in TRAINERS.values()}
    now = [name for name, lives in spans.items() if any(_holds(span, trl) for span in lives)]
    return now or [name for name, lives in spans.items() if lives], bool(now)


def _holds(span: Lifetime, trl: Version) -> bool:
    return (
        span.library == "trl" and span.first <= trl and not (span.gone_in and span.gone_in <= trl)
    )


def release(environment: Environment, trainer: Trainer, library: releases.Library) -> Version:
    """The target's release of a library; where that is open, the newest that has the trainer."""
    lives = releases.exported(trainer.config) if library == "trl" else ()
    newest = (lives[-1].last if lives else None) or releases.newest_release(library)
    return environment.version(library) or newest


def no_other_program(facts: Facts) -> None:
    """Raises `Unavailable` where the run file is one of another program, not of TRL."""
    if reason := facts[_program]:
        raise Unavailable(reason)


def _program(facts: Facts) -> str:
    if facts.run.by_class or facts.run.program:
        return ""
    keys = facts.run.arguments
    for program, telling in TELLING.items():
        if found := [key for key in keys if key in telling]:
            return f"this is a file of {program} ({', '.join(found)}), not of TRL"
    if facts.run.trainer_from.startswith("trainer:"):
        return ""  # a file that names its trainer was written for this
    ours = {*OWN_KEYS, *PARSER_KEYS, *LAUNCHERS, *SCRIPTS, *releases.launch_options()}
    strange = sum(key not in ours and not _ever(key) for key in keys)
    if strange <= len(keys) * STRANGE_SHARE:
        return ""
    return f"another program reads this file: TRL never had {strange} of its {len(keys)} keys"


def _ever(key: str) -> bool:
    return any(_spans(key))


def _spans(key: str) -> Iterator[Lifetime]:
    names = (*(one.config for one in TRAINERS.values()), *BESIDE, "GRPOScriptArguments")
    return chain.from_iterable(releases.lifetimes(name, key) for name in names)
