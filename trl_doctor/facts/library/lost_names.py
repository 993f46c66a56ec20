"""What to say of a name that a script imports from trl, and that its release does not have."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from packaging.version import Version

from trl_doctor.facts.library import releases
from trl_doctor.facts.library.steps import Lifetime, Line

INSTEAD = {
    "DataCollatorForCompletionOnlyLM": "take it out: rows with prompt and completion have the loss "
    "on the completion alone, and assistant_only_loss does it for conversations",
    "setup_chat_format": "use clone_chat_template, or chat_template_path",
    "get_kbit_device_map": "take it out, and leave device_map out: trl places a quantised model",
    "trl.commands": "from trl import TrlParser",
    "trl.commands.cli_utils": "from trl import TrlParser",
}
"""What to do without a name that many scripts import."""


class _Names(msgspec.Struct):
    releases: list[str]
    names: dict[str, list[list[Any]]]


def missing(version: Version, name: str, module: str = "trl") -> tuple[str, str] | None:
    """What is wrong with a name in that trl, and what to do; None if nothing is known of it.

    `name` may be a module's dotted name. A name that `module` offers is no problem: None.
    """
    lives = releases.exported(name)
    homes = releases.trainer_homes(version, name) if lives else ()
    if module in homes:
        return None
    if homes:
        home = "trl" if "trl" in homes else homes[0]
        when = "no longer" if _was_in(version, name, module) else "not yet"
        return (
            f"trl {version} offers {name} in {home}, {when} in {module}",
            f"from {home} import {name}",
        )
    return _gone(version, name, lives or lifetimes(name))


def _was_in(version: Version, name: str, module: str) -> bool:
    """Whether an older release offered a trainer in this module."""
    older = (each for each in releases.line("trl").versions if each < version)
    return any(module in releases.trainer_homes(each, name) for each in older)


def lifetimes(name: str) -> tuple[Lifetime, ...]:
    """The periods in which trl had a function, a class or a module that it has no more."""
    return tuple(_line().lifetimes(_names().names.get(name, [])))


def _gone(version: Version, name: str, lives: tuple[Lifetime, ...]) -> tuple[str, str] | None:
    ended = [life for life in lives if life.gone_in and life.gone_in <= version]
    if ended:
        last = ended[-1]
        remedy = f"remove the import, or install trl<{last.gone_in}"
        if name in INSTEAD:
            remedy = f"{INSTEAD[name]}; or install trl<{last.gone_in}"
        return f"trl {version} has no {name}: trl {last.last} was the last with it", remedy
    if lives and version < (first := lives[0].first) and first > _line().versions[0]:
        return f"trl {version} has no {name} yet: it comes with trl {first}", (
            f"install trl>={first}"
        )
    return None


@cache
def _names() -> _Names:
    return msgspec.json.decode((releases.DATA / "trl_names.json").read_bytes(), type=_Names)


@cache
def _line() -> Line:
    return Line("trl", _names().releases)
