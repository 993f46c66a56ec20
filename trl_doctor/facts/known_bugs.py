"""The known bugs of this release of trl that affect this run."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.library.advisories import Advisory, Affected, Kind, advisories
from trl_doctor.machine.environment import Environment


class BugOfRun(Struct, frozen=True):
    """A bug of this release that affects the run.

    `key` is the argument that triggers it, None if the release's default does.
    """

    trl: Version
    bug: Advisory
    key: str | None
    affected: Affected

    @property
    def message(self) -> str:
        """The release, and the bug in one clause."""
        summary = self.bug.summary
        plain = summary if summary[1:2].isupper() else f"{summary[0].lower()}{summary[1:]}"
        return f"trl {self.trl}: {plain}"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Why the bug applies, and where it is documented."""
        return (f"{self.bug.id} applies because {self.bug.condition}", *self.bug.references[:1])

    @property
    def remedy(self) -> str:
        """How to avoid the bug."""
        fixed = self.affected.fixed
        if not fixed and self.bug.libraries and self.bug.remedy:
            return self.bug.remedy  # another version of what it needs helps
        install = f"install trl {fixed} or newer" if fixed else "no release of trl has a fix yet"
        other = ", or " if fixed else ": "
        return f"{install}{other}{self.bug.remedy}" if self.bug.remedy else install


def bugs_of_run(facts: Facts, kind: Kind) -> Iterator[BugOfRun]:
    """The bugs of a kind whose whole condition is true for this run.

    Raises `Unavailable` at the end if an argument or a package that decides is not known.
    """
    if facts.run.target.kind == "model":
        raise NotConcerned("the target is a model folder")
    no_other_program(facts)
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    trl = facts.environment.known_version("trl")
    defaults, unknown = _defaults(facts), list[Unavailable]()
    for bug in advisories():
        affected = bug.affects(trl, trainer.name)
        if affected is None or bug.kind != kind or bug.reported_by or not bug.complete:
            continue
        try:
            if bug.fits(facts.run.arguments, defaults) and _fits_libraries(facts, bug):
                key = next((key for key in bug.arguments if key in facts.run.arguments), None)
                yield BugOfRun(trl, bug, key, affected)
        except Unavailable as reason:
            unknown.append(reason)
    if unknown:
        raise unknown[0]


def known_versions(bug: Advisory, world: Environment) -> dict[str, Version | None]:
    """The versions of the packages that an advisory names, as far as they are known.

    None for a package that is not installed where trl is.
    """
    trl_is_installed = world.installed("trl")
    versions = {name: world.version(name) for name in bug.libraries}
    return {name: version for name, version in versions.items() if version or trl_is_installed}


def _fits_libraries(facts: Facts, bug: Advisory) -> bool:
    versions = known_versions(bug, facts.environment)
    fitting = bug.fits_libraries(versions)
    if fitting is None:
        for name in sorted(set(bug.libraries) - set(versions)):
            facts.environment.known_version(name)
    return bool(fitting)


def _defaults(facts: Facts) -> Mapping[str, Json]:
    """The plain default values of this release for arguments that the run does not set."""
    trainer, plain = facts.run.trainer, dict[str, Json]()
    assert not isinstance(trainer, Unavailable)
    for name, field in accepted(facts.environment, trainer).fields.items():
        readable, value = _literal(field.default or "None")
        if readable:
            plain[name] = value
    return plain


@lru_cache(4096)
def _literal(text: str) -> tuple[bool, Json]:
    """Whether a text is a literal of Python, and its value."""
    try:
        return True, literal_eval(text)
    except (ValueError, SyntaxError):
        return False, None
