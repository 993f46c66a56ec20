"""The keys of a run file that its trainer does not accept, and the program that reads the file."""

from msgspec import Struct
from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.core.finding import Severity
from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.declared import declared
from trl_doctor.facts.arguments.old_commands import started_directly, without_unknown
from trl_doctor.facts.arguments.other_program import BESIDE, LAUNCHERS, SCRIPTS, strange
from trl_doctor.facts.arguments.other_program import no_other_program as no_other_program
from trl_doctor.facts.library import (
    PARSER_KEYS,
    Accepted,
    accepted,
    launch_options,
    releases,
    training_arguments,
)
from trl_doctor.facts.library.releases import Lifetime
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import OWN_KEYS, Run
from trl_doctor.files.source.document import Script
from trl_doctor.machine.environment import Environment

REFUSING = Version("0.19.0")
"""From this release on TrlParser refuses the keys of a file that no class has."""

PLAIN = "transformers.TrainingArguments"
HYDRA = "_target_"
ALWAYS = frozenset({*OWN_KEYS, *PARSER_KEYS, *LAUNCHERS, HYDRA})
"""The key by which Hydra's files name a class: no command of trl reads these."""


class UnknownArguments(Struct, frozen=True):
    """The keys of a run file that its trainer does not accept, in the file's order.

    `switches` are options of `accelerate launch` that take no value. `script` is a key which shows
    that another script than TRL's reads the file, "" if there is none: such a script can have keys
    of its own. `rest` is the reason why there can be other keys, None if there are none. `parser`
    is what reads them for a script, "" if the script itself names them. `direct` says that a
    launcher starts TRL's module itself (`-m trl.scripts.grpo`), which then drops a key, except
    those in `refused`. `later` are keys that a script sets on a finished config: nothing refuses
    them. `config` is the class that gets the keys. `strange` says that the keys look like those of
    another program's file, and only the user says that TRL reads it.
    """

    trainer: Trainer
    accepted: Accepted
    keys: tuple[str, ...]
    switches: tuple[str, ...]
    script: str
    rest: Unavailable | None = None
    parser: str = ""
    direct: bool = False
    refused: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    config: str = ""
    strange: bool = False

    @property
    def plain(self) -> bool:
        """Whether the trainer gets transformers' own TrainingArguments."""
        return self.config == releases.ARGUMENTS

    def lifetimes(self, key: str) -> tuple[Lifetime, ...]:
        """The periods in which the class that gets the keys had this one."""
        if self.plain:
            return releases.lifetimes(self.config, key)
        return lifetimes_of(self.trainer, key)

    def drops(self, key: str) -> bool:
        """Whether a key has no effect, without a warning."""
        if self.direct:
            return key not in self.refused
        if key in self.later:
            return True
        return self.accepted.unknown in ("ignored", "never read")

    def severity(self, key: str) -> Severity | None:
        """The severity of a finding: a warning if something else may read the key.

        None leaves the rule's own. The script may itself read a key that it sets on a finished
        config.
        """
        return "warning" if self.strange or key in self.later else None

    def refuse_to_be_clear(self) -> None:
        """Raise `Unavailable` if the run can have arguments that are not known."""
        if self.rest is not None:
            raise Unavailable(f"not all arguments are known: {self.rest}")

    def evidence(self, key: str) -> tuple[str, ...]:
        """What TRL does with such a key, the source, and why it is not installed trl."""
        name = self.trainer.name
        becomes = {
            "launched": f"`trl {name} --config` passes it to accelerate launch, which refuses it",
            "refused": f"`trl {name} --config` refuses it",
            "ignored": f"`trl {name} --config` drops it without a warning",
            "never read": f"`python -m trl.scripts.{name} --config` drops it without a warning",
            None: f"{self.config} refuses it: unexpected keyword argument",
        }[None if self.script else self.accepted.unknown]
        if key in self.later:
            becomes = f"it is set on the finished config: {self.config} has no such field"
        elif self.parser or self.direct:
            verb = "drops it without a warning" if self.drops(key) else "refuses it"
            parser = self.parser or f"`-m trl.scripts.{name}`"
            becomes = f"{parser} {verb}"
        source = self.accepted.source
        fallback = f" ({self.accepted.fallback})" if self.accepted.fallback else ""
        fallback = "" if "no trl is installed" in source else fallback
        return becomes, f"source: {source}{fallback}"


def known_to_trl(facts: Facts) -> tuple[Trainer, Accepted]:
    """The run's trainer, and the keys that it accepts.

    Raises `Unavailable` if the trainer is not known or the file is another program's.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder has no arguments")
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    keys = accepted(facts.environment, run.trainer)
    if not run.by_class:
        return run.trainer, keys
    trl = facts.environment.version("trl")
    drops = run.parser == "TrlParser" and trl is not None and trl < REFUSING
    return run.trainer, replace(keys, unknown="ignored" if drops else None)


def unknown_arguments(facts: Facts) -> UnknownArguments:
    """Raises like `known_to_trl`, and where the target's trl has no such trainer."""
    run = facts.run
    trainer, accepted_keys = known_to_trl(facts)
    made = run.file.config if isinstance(run.file, Script) else None
    plain = made is not None and made.of == PLAIN and not made.parsed
    if plain:
        own_fields, source = training_arguments(facts.environment)
        accepted_keys = replace(
            accepted_keys, config=own_fields, fields=own_fields, source=source, fallback=""
        )
    if run.program:
        raise Unavailable(f"this is a file of {run.program}: its keys are not TRL's")
    if other := run.script.replaced_by:
        raise Unavailable(
            f"{other} replaces TRL's classes: the arguments of its classes are not known"
        )
    if accepted_keys.absent or not accepted_keys.fields:
        raise Unavailable(
            accepted_keys.absent or f"the arguments were read from {accepted_keys.source}"
        )
    allowed = {*accepted_keys.fields, *ALWAYS, *facts[declared][1]}
    if run.by_class:
        allowed = {*accepted_keys.config, *run.beside, *(made.fields if made else ())}
    keys = tuple(key for key in run.arguments if key not in allowed)
    launched = launch_options(facts.environment) if keys and not run.by_class else {}
    switches = tuple(key for key in keys if launched.get(key) is False)
    keys = tuple(key for key in keys if key not in launched)
    if run.trainer_from.startswith("inferred"):
        _no_doubt(facts.environment, trainer, keys)
    others = () if run.by_class else run.arguments  # code names the classes that read its keys
    shown = (key for key in others if key in keys and (facts[strange] or key in SCRIPTS))
    script = next(shown, "")
    given = {*accepted_keys.config} if run.by_class else allowed
    rest = run.arguments.open_beside(given) if isinstance(run.arguments, Partly) else None
    keys, rest = without_unknown(run, facts.environment, keys, rest)
    direct, refused = started_directly(facts, keys)
    config = releases.ARGUMENTS if plain else trainer.config
    return UnknownArguments(
        trainer, accepted_keys, keys, switches, script, rest, run.parser, direct, refused,
        set_later(run), config, bool(facts[strange]),
    )  # fmt: skip


def set_later(run: Run) -> frozenset[str]:
    """The keys that a script sets on the finished config."""
    made = run.file.config if isinstance(run.file, Script) else None
    return frozenset({*made.attributes} - {*made.keywords}) if made else frozenset()


def _no_doubt(environment: Environment, trainer: Trainer, keys: tuple[str, ...]) -> None:
    """Raises `Unavailable` if another trainer explains a key that the inferred one lacks."""
    for key in keys:
        names, still = takers(environment, key)
        if still and key not in SCRIPTS and not lifetimes_of(trainer, key):
            raise Unavailable(
                f"the trainer is not certain: {trainer.trainer} was inferred, but {names[0]} has "
                f"{key}; use `--trainer {trainer.name}`"
            )


def lifetimes_of(trainer: Trainer, key: str) -> tuple[Lifetime, ...]:
    """The periods in which the trainer's config, or a class parsed besides it, had a key."""
    scripts = [f"{trainer.stem}ScriptArguments"] if trainer.name in ("grpo", "rloo") else []
    by_class = (releases.lifetimes(name, key) for name in (trainer.config, *scripts, *BESIDE))
    return next((spans for spans in by_class if spans), ())


def owner(trainer: Trainer, key: str) -> str:
    """The class that has, or had, a key."""
    scripts = f"{trainer.stem}ScriptArguments"
    names = (trainer.config, scripts, *BESIDE)
    return next((name for name in names if releases.lifetimes(name, key)), trainer.config)


def takers(environment: Environment, key: str) -> tuple[list[str], bool]:
    """The trainers that accept a key in the target's release, else those that once did.

    The second value says whether they still do.
    """
    trl = environment.version("trl") or releases.newest_release()
    spans = {
        trainer.trainer: releases.lifetimes(trainer.config, key) for trainer in TRAINERS.values()
    }
    current = [
        name for name, lifetimes in spans.items() if any(_holds(span, trl) for span in lifetimes)
    ]
    return current or [name for name, lifetimes in spans.items() if lifetimes], bool(current)


def _holds(span: Lifetime, trl: Version) -> bool:
    return (
        span.library == "trl" and span.first <= trl and not (span.gone_in and span.gone_in <= trl)
    )


def release(environment: Environment, trainer: Trainer, library: releases.Library) -> Version:
    """The target's release of a library; if not known, the newest that has the trainer."""
    lifetimes = releases.exported(trainer.config) if library == "trl" else ()
    newest = (lifetimes[-1].last if lifetimes else None) or releases.newest_release(library)
    return environment.version(library) or newest
