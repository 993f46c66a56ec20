"""What the releases of trl and transformers take and offer, from the data that ships with this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import msgspec
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


@dataclass(frozen=True)
class Replacement:
    """What became of an argument.

    `use` takes its place, None for nothing. `same` means that the run stays the same with the
    value carried over to `use`, or with the argument left out where nothing takes its place;
    that holds from release `since` of the library on (None: from where the argument is gone).
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
    """The newest release of a library that the history knows."""
    return _line(library).versions[-1]


def nearest(library: Library, version: Version) -> Version | None:
    """The newest known release that is not newer than a version; None where all are."""
    return _line(library).nearest(version)


def fields(trl: Version, config: str) -> Mapping[str, str | None] | None:
    """A config's own fields of trl, with their defaults as source text (None: must be given).

    Those that it inherits from TrainingArguments are not among them (`extends`). None where
    that trl has no such config, or is older than the known releases.
    """
    return _line("trl").all_at(_trl().configs.get(config, {}), trl) or None


def extends(trl: Version, config: str) -> bool:
    """Whether a config of that trl also has the fields of TrainingArguments."""
    return _line("trl").at(_trl().extends.get(config, []), trl) is not None


def training_arguments(transformers: Version) -> Mapping[str, str | None] | None:
    """The fields of TrainingArguments with their defaults; None if older than the history."""
    return _line("transformers").all_at(_transformers().fields, transformers) or None


def default(trl: Version, config: str, field: str) -> str | None:
    """A field's default as source text; None where there is no such field, or no default."""
    return (fields(trl, config) or {}).get(field)


def lifetimes(config: str, field: str) -> tuple[Lifetime, ...]:
    """The times in which a config had a field, oldest first.

    `config` may be "TrainingArguments". A field that a config only inherits from there has the
    lifetimes of transformers; one that trl gave back to TrainingArguments is not gone.
    """
    inherited = _transformers().fields.get(field, [])
    if config == ARGUMENTS:
        return tuple(_line("transformers").lifetimes(inherited))
    own = _line("trl").lifetimes(_trl().configs.get(config, {}).get(field, []))
    heir = inherited and config in _trl().extends
    if heir and not own:
        return tuple(_line("transformers").lifetimes(inherited))
    if heir and len(inherited[-1]) > 1 and extends(newest_release(), config):
        own[-1] = Lifetime("trl", own[-1].first)
    return tuple(own)


def lifetime(config: str, field: str, version: Version | None = None) -> Lifetime | None:
    """The time in which a config had a field: the last that began by `version`, or the first.

    Without a version, the last of all. None where it never had it.
    """
    spans = lifetimes(config, field)
    begun = [span for span in spans if version is None or span.first <= version]
    return next(reversed(begun or spans[:1]), None)


def replacement(config: str, field: str) -> Replacement | None:
    """What took the place of a config's argument; None where nothing is known of that.

    `config` may be a trainer's name, for the arguments of its constructor.
    """
    owner = config if (config, field) in _replacements() else ARGUMENTS
    found = _replacements().get((owner, field))
    if found is None:
        return None
    library: Library = "transformers" if owner == ARGUMENTS else "trl"
    since = Version(found.since) if found.since else None
    for span in lifetimes(config, found.use)[:1] if found.use and not since else ():
        since = span.first if span.library == library else None
    return Replacement(found.use, found.same, library, since, found.note, found.source)


def exported(name: str) -> tuple[Lifetime, ...]:
    """The times in which trl offered a trainer or config at all, oldest first."""
    return tuple(_line("trl").lifetimes(_trl().exports.get(name, [])))


def trainer_homes(trl: Version, name: str) -> tuple[str, ...]:
    """The modules that offer a trainer or config in that trl, the one it lives in first."""
    return _words(_trl().exports.get(name, []), trl)


def trainer_home(trl: Version, name: str) -> str | None:
    """The module to import a trainer or config from: "trl", "trl.experimental.ppo", or None."""
    return next(iter(trainer_homes(trl, name)), None)


def trainer_arguments(trl: Version, name: str) -> tuple[str, ...] | None:
    """The arguments of a trainer's constructor; a last `**kwargs` means that it takes others."""
    return _words(_trl().arguments.get(name, []), trl) or None


def trainers(trl: Version) -> Mapping[str, str]:
    """The trainers that a trl offers, with the module that each lives in."""
    names = (name for name in _trl().exports if name.endswith("Trainer"))
    return {name: home for name in names if (home := trainer_home(trl, name))}


def command(trl: Version, name: str) -> tuple[tuple[str, ...], Unknown] | None:
    """The classes that `trl NAME` parses, and its way with other keys."""
    classes = _words(_trl().commands["classes"].get(name, []), trl)
    unknown = _line("trl").at(_trl().commands["unknown"].get(name, []), trl)
    return (classes, unknown) if classes else None


def launch_options() -> Mapping[str, bool]:
    """The options of `accelerate launch`, and whether each takes a value."""
    options: dict[str, bool] = _trl().launch["options"]
    return options


def requirement(trl: Version, distribution: str) -> SpecifierSet | None:
    """The versions of a library that trl's metadata asks for; None where it does not say."""
    return _range(_line("trl").at(_trl().requires.get(distribution, []), trl))


def transformers_floor(trl: Version) -> Version | None:
    """The oldest transformers that trl's metadata allows; None where it sets no floor."""
    said = requirement(trl, "transformers") or ()
    floors = [Version(one.version) for one in said if one.operator in (">=", "==")]
    return max(floors, default=None)


def vllm_window(trl: Version) -> SpecifierSet | None:
    """The vLLM releases that trl supports: what it checks for, else what its extra asks for.

    Empty where any will do, None where that trl does not use vLLM.
    """
    return _range(_line("trl").at(_trl().vllm, trl))


def _range(said: str | None) -> SpecifierSet | None:
    from packaging.specifiers import SpecifierSet  # slow to import, and rarely asked for

    return SpecifierSet(said) if said is not None else None


def _words(steps: Steps, trl: Version) -> tuple[str, ...]:
    return tuple((_line("trl").at(steps, trl) or "").split())


@cache
def _line(library: Library) -> Line:
    return Line(library, (_trl() if library == "trl" else _transformers()).releases)


@cache
def _trl() -> _Trl:
    return _read("trl_releases.json", _Trl)


@cache
def _transformers() -> _Transformers:
    return _read("transformers_arguments.json", _Transformers)


@cache
def _replacements() -> dict[tuple[str, str], _Replacement]:
    known = _read("replacements.json", _Replacements).replacements
    return {(config, one.field): one for one in known for config in one.configs}


def _read(name: str, kind: type[T]) -> T:
    return msgspec.json.decode((DATA / name).read_bytes(), type=kind)
