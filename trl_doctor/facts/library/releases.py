"""The arguments and names of each release of trl and transformers, from our data files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.facts.library.steps import Lifetime, Line, Steps

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

    from trl_doctor.facts.library.command import Unknown

__all__ = ["Lifetime", "Replacement"]

T = TypeVar("T")
Library: TypeAlias = Literal["trl", "transformers"]

DATA = Path(__file__).parents[2] / "data"
ARGUMENTS = "TrainingArguments"


class Replacement(Struct, frozen=True):
    """What replaced an argument.

    `use` replaces it, None for nothing. `same` means that the run stays the same if the value
    moves to `use`, or if the argument is left out if nothing replaces it; this holds from
    release `since` of the library on (None: from the release without the argument).
    """

    use: str | None
    same: bool
    library: Library
    since: Version | None
    note: str
    source: str


class _Trl(msgspec.Struct):
    releases: list[str]
    requires: dict[str, Steps]
    vllm: Steps
    exports: dict[str, Steps]
    arguments: dict[str, Steps]
    extends: dict[str, Steps]
    commands: dict[str, dict[str, Steps]]
    launch: dict[str, Any]
    configs: dict[str, dict[str, Steps]]


class _Transformers(msgspec.Struct):
    releases: list[str]
    fields: dict[str, Steps]
    choices: dict[str, Steps]


class _Replacement(msgspec.Struct):
    configs: list[str]
    field: str
    use: str | None
    same: bool
    note: str
    source: str
    since: str = ""


class _Replacements(msgspec.Struct):
    replacements: list[_Replacement]


def newest_release(library: Library = "trl") -> Version:
    """The newest release of a library in our data."""
    return line(library).versions[-1]


def fields(trl: Version, config: str) -> Mapping[str, str | None] | None:
    """A config's own fields of trl, with their defaults as source text (None: no default).

    Fields inherited from TrainingArguments are not included (`extends`). None if that trl
    has no such config, or is older than the known releases.
    """
    return line("trl").all_at(_trl().configs.get(config, {}), trl) or None


def extends(trl: Version, config: str) -> bool:
    """Whether a config of that trl also has the fields of TrainingArguments."""
    return line("trl").at(_trl().extends.get(config, []), trl) is not None


def training_arguments(transformers: Version) -> Mapping[str, str | None] | None:
    """The fields of TrainingArguments with their defaults; None if older than our data."""
    return line("transformers").all_at(_transformers().fields, transformers) or None


def choices(transformers: Version) -> Mapping[str, tuple[str, ...]]:
    """The values of those fields of TrainingArguments that are enumerations, by field."""
    steps = line("transformers").all_at(_transformers().choices, transformers)
    return {name: tuple(values.split()) for name, values in steps.items()}


def default(trl: Version, config: str, field: str) -> str | None:
    """A field's default as source text; None if there is no such field, or no default."""
    return (fields(trl, config) or {}).get(field)


def lifetimes(config: str, field: str) -> tuple[Lifetime, ...]:
    """The periods in which a config (also "TrainingArguments") had a field, oldest first.

    An inherited field has those of transformers; one that trl moved back there still exists.
    """
    inherited = _transformers().fields.get(field, [])
    if config == ARGUMENTS:
        return tuple(line("transformers").lifetimes(inherited))
    own_lifetimes = line("trl").lifetimes(_trl().configs.get(config, {}).get(field, []))
    inherits = inherited and config in _trl().extends
    if inherits and not own_lifetimes:
        return tuple(line("transformers").lifetimes(inherited))
    if inherits and len(inherited[-1]) > 1 and extends(newest_release(), config):
        own_lifetimes[-1] = Lifetime("trl", own_lifetimes[-1].first)
    return tuple(own_lifetimes)


def lifetime(config: str, field: str, version: Version | None = None) -> Lifetime | None:
    """The period in which a config had a field: the last that began by `version`, or the first.

    Without a version, the last of all. None if it never had the field.
    """
    spans = lifetimes(config, field)
    started = [span for span in spans if version is None or span.first <= version]
    return next(reversed(started or spans[:1]), None)


def replacement(config: str, field: str) -> Replacement | None:
    """What replaced a config's argument; None if nothing is known about it.

    `config` may be a trainer's name, for the arguments of its constructor.
    """
    owner = config if (config, field) in _replacements() else ARGUMENTS
    entry = _replacements().get((owner, field))
    if entry is None:
        return None
    library: Library = "transformers" if owner == ARGUMENTS else "trl"
    since = Version(entry.since) if entry.since else None
    for span in lifetimes(config, entry.use)[:1] if entry.use and not since else ():
        since = span.first if span.library == library else None
    return Replacement(entry.use, entry.same, library, since, entry.note, entry.source)


def exported(name: str) -> tuple[Lifetime, ...]:
    """The periods in which trl offered a trainer or config, oldest first."""
    return tuple(line("trl").lifetimes(_trl().exports.get(name, [])))


def names(config: str) -> frozenset[str]:
    """The fields that trl has defined for a config, in any release."""
    return frozenset(_trl().configs.get(config, {}))


def trainer_homes(trl: Version, name: str) -> tuple[str, ...]:
    """The modules that offer a trainer or config in that trl, the defining module first."""
    return _words(_trl().exports.get(name, []), trl)


def trainer_home(trl: Version, name: str) -> str | None:
    """The module to import a trainer or config from: "trl", "trl.experimental.ppo", or None."""
    return next(iter(trainer_homes(trl, name)), None)


def trainer_arguments(trl: Version, name: str) -> tuple[str, ...] | None:
    """The arguments of a trainer's constructor; a last `**kwargs` if it accepts others."""
    return _words(_trl().arguments.get(name, []), trl) or None


def trainers(trl: Version) -> Mapping[str, str]:
    """The trainers that a trl offers, with the module that defines each."""
    names = (name for name in _trl().exports if name.endswith("Trainer"))
    return {name: home for name in names if (home := trainer_home(trl, name))}


def command(trl: Version, name: str) -> tuple[tuple[str, ...], Unknown] | None:
    """The classes that `trl NAME` parses, and what it does with other keys."""
    classes = _words(_trl().commands["classes"].get(name, []), trl)
    unknown = line("trl").at(_trl().commands["unknown"].get(name, []), trl)
    return (classes, unknown) if classes else None


def launch_options() -> Mapping[str, bool]:
    """The options of `accelerate launch`, and whether each takes a value."""
    options: dict[str, bool] = _trl().launch["options"]
    return options


def requirement(trl: Version, distribution: str) -> SpecifierSet | None:
    """The versions of a library that trl's metadata requires; None if it states none."""
    return _range(line("trl").at(_trl().requires.get(distribution, []), trl))


def vllm_window(trl: Version) -> SpecifierSet | None:
    """The vLLM releases that trl supports: those that it checks for, else those of its extra.

    Empty if any release is allowed, None if that trl does not use vLLM.
    """
    return _range(line("trl").at(_trl().vllm, trl))


def _range(specifiers: str | None) -> SpecifierSet | None:
    from packaging.specifiers import SpecifierSet  # slow to import, and rarely asked for

    return SpecifierSet(specifiers) if specifiers is not None else None


def _words(steps: Steps, trl: Version) -> tuple[str, ...]:
    return tuple((line("trl").at(steps, trl) or "").split())


@cache
def line(library: Library) -> Line:
    """The known releases of a library."""
    return Line(library, (_trl() if library == "trl" else _transformers()).releases)


@cache
def _trl() -> _Trl:
    return _read("trl_releases.json", _Trl)


@cache
def _transformers() -> _Transformers:
    return _read("transformers_arguments.json", _Transformers)


@cache
def _replacements() -> dict[tuple[str, str], _Replacement]:
    entries = _read("replacements.json", _Replacements).replacements
    return {(config, entry.field): entry for entry in entries for config in entry.configs}


def _read(name: str, kind: type[T]) -> T:
    return msgspec.json.decode((DATA / name).read_bytes(), type=kind)
