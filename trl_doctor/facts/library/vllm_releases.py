"""The arguments and architectures of each vLLM release, made by `history/vllm_releases.py`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.releases import DATA
from trl_doctor.facts.library.steps import Line


class _History(Struct, frozen=True):
    releases: list[str]
    architectures: dict[str, list[list[Any]]]
    sampling: dict[str, list[list[Any]]]
    engine: dict[str, list[list[Any]]]
    decorates: list[list[Any]]
    asks_attention: list[list[Any]]
    passed: dict[str, dict[str, list[list[Any]]]]


def architectures(version: Version) -> Mapping[str, str]:
    """The code that runs each architecture: "vllm" or "transformers". Raises `Unavailable`."""
    return _line(version).all_at(_history().architectures, version)


def arguments(group: Literal["sampling", "engine"], version: Version) -> Mapping[str, str]:
    """The arguments of SamplingParams or LLM, with their types. Raises `Unavailable`."""
    history = _history()
    steps_by_name = history.sampling if group == "sampling" else history.engine
    return _line(version).all_at(steps_by_name, version)


def has_trait(trait: Literal["decorates", "asks_attention"], version: Version) -> bool:
    """Whether a release modifies classes of transformers in place, or asks a class whether its
    attention can be replaced. Raises `Unavailable`.
    """
    history = _history()
    steps = history.decorates if trait == "decorates" else history.asks_attention
    return bool(_line(version).at(steps, version))


def passed(group: Literal["sampling", "engine"], trl: Version) -> frozenset[str]:
    """The names that a trl passes to SamplingParams or LLM; empty if none are known."""
    steps_by_name = _history().passed[group]
    line = Line(
        "trl", sorted({step[0] for steps in steps_by_name.values() for step in steps}, key=Version)
    )
    return frozenset(line.all_at(steps_by_name, trl))


def _line(version: Version) -> Line:
    """The known releases. Raises `Unavailable` for an older release, or a newer minor one."""
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
