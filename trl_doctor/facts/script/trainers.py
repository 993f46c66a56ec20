"""The trainers of TRL that a script makes, with their arguments by name."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.facts.library import releases
from trl_doctor.facts.script.kinds import kind_of
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, NamedValue, Span, Unknown, Value

HOMES = ("trl", "unsloth", "unsloth_zoo")
"""Packages whose trainers are those of TRL."""

ARGUMENTS = {
    "grpo": "model reward_funcs args train_dataset eval_dataset processing_class",
    "rloo": "model reward_funcs args train_dataset eval_dataset processing_class",
    "sft": "model args data_collator train_dataset eval_dataset processing_class",
    "dpo": "model ref_model args data_collator train_dataset eval_dataset processing_class",
    "kto": "model ref_model args train_dataset eval_dataset processing_class data_collator",
    "reward": "model args data_collator train_dataset eval_dataset processing_class",
    "ppo": "args processing_class model ref_model reward_model train_dataset value_model",
}
"""Positional arguments if no release is known."""

BY_STEM = {kind.trainer: kind for kind in TRAINERS.values()}


class Use(Struct, frozen=True, eq=False):
    """A trainer that the script makes. `name` is that of its class; `trainer` None for one that
    is no trainer of the kinds that are known here."""

    made: LibraryObject
    name: str
    trainer: Trainer | None
    names: tuple[str, ...]

    def given(self, *names: str) -> NamedValue | None:
        """The argument that is given under one of these names; None if none is."""
        for name in names:
            if name in self.made.keywords:
                return self.made.keywords[name]
            if name in self.names:
                index = self.names.index(name)
                if index < len(self.made.arguments):
                    value = self.made.arguments[index]
                    return NamedValue(value, None, getattr(value, "span", None))
        if self.made.rest is not None:
            return NamedValue(self.made.rest, None, self.made.span)
        return None

    def value(self, *names: str) -> Value | None:
        """The value of such an argument."""
        argument = self.given(*names)
        return argument.value if argument else None


def uses(reading: Reading, signatures: dict[str, tuple[str, ...]]) -> list[Use]:
    """The trainers of TRL in the order in which they are made."""
    rewards = []
    for made in reading.made:
        if made.base is None and made.trains and _of_trl(made.of):
            trainer = BY_STEM.get(made.short)
            names = signatures.get(made.short) or tuple(
                ARGUMENTS.get(trainer.name if trainer else "", "").split()
            )
            rewards.append(Use(made, made.short, trainer, names))
    return rewards


def _of_trl(name: str) -> bool:
    root = name.partition(".")[0]
    return root in HOMES


def others(reading: Reading) -> list[LibraryObject]:
    """The trainers that are not TRL's."""
    return [
        made for made in reading.made if made.base is None and made.trains and not _of_trl(made.of)
    ]


def config(use: Use) -> LibraryObject | Unknown | None:
    """The object of the trainer's arguments; None if there is none."""
    value = use.value("args", "config")
    if value is None or isinstance(value, Unknown):
        return value
    if isinstance(value, LibraryObject) and kind_of(value) in ("config", None):
        return value
    span: Span | None = getattr(value, "span", None)
    return Unknown("it is no config object that is made in this script", span)


def imported(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The names of trl that the script uses whatever happens, with their places."""
    for name, span in used(reading):
        package, *parts = name.split(".")
        if package == "trl" and not any(part[:1].isupper() for part in parts[:-1]):
            yield name, span  # what is behind a class is its member, and no name of a module


def used(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The names of libraries that the script uses whatever happens, and does not set itself."""
    patched, reported = reading.state.patched, set[str]()
    for name, span, guards in reading.state.imports:
        own = name in patched or any(name.startswith(f"{module}.") for module in patched)
        if not guards and not own and name not in reported:
            reported.add(name)
            yield name, span


def signature(version: Version, name: str) -> tuple[str, ...] | None:
    """The arguments of a trainer's constructor in this release, or in the nearest that has it."""
    lives = releases.exported(name)
    last = (lives[-1].last or lives[-1].first) if lives else version
    nearest = lives[0].first if lives and version < lives[0].first else last
    return releases.trainer_arguments(version, name) or releases.trainer_arguments(nearest, name)
