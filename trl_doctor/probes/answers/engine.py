"""The answer of the probe `engine`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .engine_sampling import Sampling, Stop
from .engine_weights import Sync
from .error import Error


@dataclass(frozen=True)
class Versions:
    """The installed vLLM."""

    vllm: str
    distribution: str | None
    """The package that has it."""

    trl_warning: str | None
    """TRL's own warning about this version, None if it has none."""


@dataclass(frozen=True)
class EngineModel:
    """The small model that the engine serves."""

    architecture: str
    layers: int
    hidden: int
    parameters: int
    vocabulary: int


@dataclass(frozen=True)
class StartError(Error):
    """Why the engine does not start."""

    stage: str = ""
    """One of "import" and "start"."""

    cause: str = ""
    """One of "architecture", "length", "toolchain" and "other"."""


@dataclass(frozen=True)
class EngineStart:
    """Whether the engine started."""

    error: StartError | None = None


@dataclass(frozen=True)
class Completed:
    """A completion of the engine."""

    length: int
    """In tokens."""

    finish: str | None
    """vLLM's `finish_reason`."""

    stop_reason: int | str | None
    """vLLM's own."""

    last: int | None
    """The last token id."""

    truncated: bool
    """Whether the trainer counts it as truncated."""


@dataclass(frozen=True)
class EngineStep:
    """One step of the real trainer in training mode, with completions of the engine."""

    error: Error | None
    """What it raised."""

    inside: bool
    """Whether that was raised in vLLM's code."""

    changed: Mapping[str, tuple[Any, Any, str]]
    """By argument: the run's value, the value that was used, and the reason."""

    log: Mapping[str, float]
    """What the trainer logged."""

    completions: tuple[Completed, ...]
    context: int
    """The most tokens of prompt and completion; 0 if no engine was started."""

    longest: int
    """The tokens of the longest prompt."""

    seen: int
    """How many prompts were measured for it."""

    refused: Error | None
    """What the engine raises for that prompt."""

    dropout: Mapping[str, float]
    """The probabilities above zero that training uses, by name."""


@dataclass(frozen=True)
class EngineAnswer:
    """What one engine did. If it did not start, only `start` is known."""

    start: EngineStart
    versions: Versions | None = None
    backend: str = ""
    model: EngineModel | None = None
    step: EngineStep | None = None
    sync: Sync | None = None
    """None, like `sampling` and `stops`, if the engine has no weights, or for the reason in
    `broken` or `not_asked_because`."""

    sampling: Sampling | None = None
    stops: tuple[Stop, ...] | None = None
    broken: str = ""
    """How the engine broke."""

    not_asked_because: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """The time of each question."""
