"""The answer of the probe `engine`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .error import Error


@dataclass(frozen=True)
class Versions:
    """The installed vLLM, the distribution that ships it, and what trl warns about it, if so."""

    vllm: str
    distribution: str | None
    trl_says: str | None


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
    """Why the engine does not start: `stage` is "import" or "start".

    `cause` is "architecture", "length", "toolchain" or "other".
    """

    stage: str = ""
    cause: str = ""


@dataclass(frozen=True)
class EngineStart:
    """How the engine started; `error` is None if it went well."""

    error: StartError | None = None


@dataclass(frozen=True)
class SyncError(Error):
    """What stopped the first weight sync, at which parameter, and its shapes on both sides.

    `engine_shape` is None if the engine's files have no such tensor. `backend`: it is this
    backend of vLLM that takes no weights.
    """

    parameter: str = ""
    trainer_shape: tuple[int, ...] = ()
    engine_shape: tuple[int, ...] | None = None
    backend: bool = False


@dataclass(frozen=True)
class Push:
    """How many parameters went to the engine, and what stopped them; None for nothing."""

    pushed: int
    error: SyncError | None


@dataclass(frozen=True)
class Sync(Push):
    """The first weight sync.

    `resized` are the rows of the embedding and the longer tokenizer for which it was resized,
    None if it was not. `tied`: input and output embeddings are one. `adapter` is "none" or
    "merged".
    """

    resized: tuple[int, int] | None
    tied: bool
    adapter: str


@dataclass(frozen=True)
class Factor:
    """exp|Δ| of two log-probabilities of a token: the mean and the most."""

    mean: float
    most: float


@dataclass(frozen=True)
class Distances:
    """How far apart the log-probabilities of engine and trainer are, over so many tokens.

    `ratio` is the mean of trainer / engine, `quantiles` those of |Δ| by share ("0.5"), in nats;
    `precision` is what the trainer computes in.
    """

    tokens: int
    factor: Factor
    ratio: float
    quantiles: Mapping[str, float]
    precision: str


@dataclass(frozen=True)
class Sampling:
    """The run's sampling: what it asks for, and what vLLM's SamplingParams was `given` of it.

    `error` is what kept TRL from sampling so, None for nothing. `plain` is sampled from the whole
    distribution at the run's temperature, None if that is none; `asked` as the run asks, None
    if that is the same; `training` is `plain` with the trainer's model in training mode.
    """

    asked_for: Mapping[str, Any]
    given: Mapping[str, Any]
    error: Error | None
    plain: Distances | None
    asked: Distances | None
    training: Distances | None


@dataclass(frozen=True)
class Stop:
    """What stops the engine when it says a token for ever at which the run means to stop.

    `why` are the places that name it ("eos", "stop id"). `state` is "asked", "forbidden" (with the
    run's own arguments the engine never says the token), or why it could not be asked. Else
    `length` tokens were said, at most `limit`; `finish` and `stop_reason` are vLLM's own, `said`
    the first three ids. `seconds` is the time of the question.
    """

    id: int
    token: str
    why: tuple[str, ...]
    limit: int
    state: str
    length: int = 0
    finish: str | None = None
    stop_reason: int | str | None = None
    text: str = ""
    said: tuple[int, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Completed:
    """A completion of the engine: tokens, why it ended by vLLM's own words, its last token.

    `truncated`: the trainer counts it as cut off.
    """

    length: int
    finish: str | None
    stop_reason: int | str | None
    last: int | None
    truncated: bool


@dataclass(frozen=True)
class EngineStep:
    """One step of the real trainer in training mode, with completions of the engine.

    `error` is what it raised, None for nothing; `inside` says that it was raised in vLLM's code.
    `changed` are arguments that are not the run's own: given, used, why. `log` is the trainer's.
    `context` is the most tokens of prompt and completion, `longest` those of the longest prompt of
    the `seen` ones, and `refused` what the engine raises for it. `dropout` are the probabilities
    above zero that are used in training, by name. A trainer that raised before its engine started
    has a `context` of 0.
    """

    error: Error | None
    inside: bool
    changed: Mapping[str, tuple[Any, Any, str]]
    log: Mapping[str, float]
    completions: tuple[Completed, ...]
    context: int
    longest: int
    seen: int
    refused: Error | None
    dropout: Mapping[str, float]


@dataclass(frozen=True)
class EngineAnswer:
    """What one engine did; where it did not start there is nothing but `start`.

    `sync`, `sampling` and `stops` are None if the engine has no weights to answer with, or
    broke: then `broken` says how; or where nobody asks for them: then `untold` says why. `seconds`
    are those of each question.
    """

    start: EngineStart
    versions: Versions | None = None
    backend: str = ""
    model: EngineModel | None = None
    step: EngineStep | None = None
    sync: Sync | None = None
    sampling: Sampling | None = None
    stops: tuple[Stop, ...] | None = None
    broken: str = ""
    untold: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
