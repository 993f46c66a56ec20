"""The answer of the probe `load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .error import Error

T = TypeVar("T")


@dataclass(frozen=True)
class LoadError(Error):
    """An error, and `first`, in one line, the error that came before it."""

    first: str = ""


@dataclass(frozen=True)
class Part(Generic[T]):
    """What was measured of a part of the run; None if it was `refused`, or `raised`."""

    measured: T | None = None
    refused: str = ""
    raised: LoadError | None = None


@dataclass(frozen=True)
class Difference:
    """A text whose ids are not those of tokenizer.json, from the token `at` on.

    `made` are the next tokens by transformers, `meant` those of tokenizer.json, `lengths` the
    counts of tokens in the same order. `read_back`: the made ones decode to the text.
    """

    text: str
    at: int
    made: tuple[str | None, ...]
    meant: tuple[str | None, ...]
    lengths: tuple[int, int]
    read_back: bool


@dataclass(frozen=True)
class OtherClass:
    """The tokenizer by another class, "" for PreTrainedTokenizerFast called by its name.

    `differs` counts the texts that still get other ids; `same`: all but the ids stays as it is.
    """

    class_name: str
    differs: int
    same: bool


@dataclass(frozen=True)
class NotRendered:
    """The error of a chat template, in one line."""

    raised: str


@dataclass(frozen=True)
class LoadedTokenizer:
    """The training tokenizer as `AutoTokenizer` loads it.

    `special` has token and id by role ("pad_token"), `chat` the rendered conversations that were
    asked for. `differs` are those of `samples` texts that tokenizer.json encodes otherwise, and
    `tried` what other classes make of them; without a tokenizer.json there are no samples.
    """

    class_name: str
    length: int
    special: Mapping[str, tuple[str, int | None]]
    chat: Mapping[str, str | NotRendered]
    samples: int = 0
    differs: tuple[Difference, ...] = ()
    tried: tuple[OtherClass, ...] = ()


@dataclass(frozen=True)
class TensorCounts:
    """How many names there are of each kind."""

    missing: int = 0
    unused: int = 0
    differing: int = 0


@dataclass(frozen=True)
class OtherShape:
    """A tensor with its shape as stored, and as the model has it; None if it is not known."""

    name: str
    stored: tuple[int, ...] | None
    wanted: tuple[int, ...] | None


@dataclass(frozen=True)
class LoadedCheckpoint:
    """A checkpoint as `from_pretrained` loads it into a class, without values.

    `tensors` are stored, `of_model` are wanted. `missing` and `unused` are names. Only the
    first 300 names of a kind are told, `counts` has all.
    """

    class_name: str
    tensors: int
    of_model: int
    counts: TensorCounts
    missing: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    differing: tuple[OtherShape, ...] = ()


@dataclass(frozen=True)
class LoadedAdapter:
    """The modules of the policy that peft adapts for the run's LoRA targets.

    `matched` counts the modules that each target names, `linear` are the first names of linear
    modules. `adapted` modules got an adapter, `adapted_head` says that the output layer is one.
    `refusal` is what peft says where it makes no adapter. `head_refused`: the run's trainer
    refuses an adapter on the output layer.
    """

    class_name: str
    targets: tuple[str, ...]
    matched: Mapping[str, int]
    linear: tuple[str, ...]
    refusal: str
    adapted: int
    adapted_head: bool
    head_refused: bool


@dataclass(frozen=True)
class LoadAnswer:
    """What each part of the run becomes when it is loaded; `models` by role."""

    tokenizer: Part[LoadedTokenizer]
    models: Mapping[str, Part[LoadedCheckpoint]]
    adapter: Part[LoadedAdapter]
