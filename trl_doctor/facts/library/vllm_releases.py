"""What each release of vLLM has, as `history/vllm_releases.py` read it from the wheels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import msgspec
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.releases import DATA
from trl_doctor.facts.library.steps import Line


@dataclass(frozen=True)
class _History:
    releases: list[str]
    architectures: dict[str, list[list[Any]]]
    sampling: dict[str, list[list[Any]]]
    engine: dict[str, list[list[Any]]]
    decorates: list[list[Any]]
    asks_attention: list[list[Any]]
    passed: dict[str, dict[str, list[list[Any]]]]


def architectures(version: Version) -> Mapping[str, str]:
    """Whose code runs each architecture, "vllm" or "transformers". Raises `Unavailable`."""
    return _line(version).all_at(_history().architectures, version)


def arguments(part: Literal["sampling", "engine"], version: Version) -> Mapping[str, str]:
    """What SamplingParams or LLM takes, with the types. Raises `Unavailable`."""
    known = _history()
    named = known.sampling if part == "sampling" else known.engine
    return _line(version).all_at(named, version)


def says(what: Literal["decorates", "asks_attention"], version: Version) -> bool:
    """Of a release: does it change classes of transformers in place, does it ask of a class
    whether its attention can be exchanged. Raises `Unavailable`.
    """
    known = _history()
    named = known.decorates if what == "decorates" else known.asks_attention
    return bool(_line(version).at(named, version))


def passed(part: Literal["sampling", "engine"], trl: Version) -> frozenset[str]:
    """The names that a trl hands to SamplingParams or LLM; empty where none are known."""
    named = _history().passed[part]
    line = Line("trl", sorted({one[0] for steps in named.values() for one in steps}, key=Version))
    return frozenset(line.all_at(named, trl))


def _line(version: Version) -> Line:
    """The known releases. Raises `Unavailable` for one that is older, or of a newer minor."""
    line = Line("vllm", _history().releases)
    oldest, newest = line.versions[0], line.versions[-1]
    if version < oldest or version.release[:2] > newest.release[:2]:
        raise Unavailable(
            f"what vllm {version} has is not known: {oldest} to {newest} are, and an installed one"
        )
    return line


@lru_cache(maxsize=1)
def _history() -> _History:
    return msgspec.json.decode((DATA / "vllm_releases.json").read_bytes(), type=_History)
