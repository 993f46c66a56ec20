"""The answer of the probe `load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .error import Error

T = TypeVar("T")


@dataclass(frozen=True)
class LoadError(Error):
    """An error of loading."""

    first: str = ""
    """The error that came before it, in one line."""


@dataclass(frozen=True)
class Part(Generic[T]):
    """What was measured of a part of the run."""

    measured: T | None = None
    """None if there is an error, or a reason why it was not tried."""

    refused: str = ""
    """Why it was not tried."""

    raised: LoadError | None = None


@dataclass(frozen=True)
class Difference:
    """A text that transformers encodes otherwise than tokenizer.json."""

    text: str
    at: int
    """The first token that differs."""

    made: tuple[str | None, ...]
    """The next tokens by transformers."""

    meant: tuple[str | None, ...]
    """The next tokens by tokenizer.json."""

    lengths: tuple[int, int]
    """How many tokens the text has, by transformers and by tokenizer.json."""

    read_back: bool
    """Whether the tokens by transformers decode to the text."""


@dataclass(frozen=True)
class OtherClass:
    """The tokenizer loaded by another class."""

    class_name: str
    """Empty for PreTrainedTokenizerFast called by its name."""

    differs: int
    """How many texts still get other ids."""

    same: bool
    """Whether everything but the ids stays as it is."""


@dataclass(frozen=True)
class NotRendered:
    """The error of a chat template, in one line."""

    raised: str


@dataclass(frozen=True)
class LoadedTokenizer:
    """The training tokenizer as `AutoTokenizer` loads it."""

    class_name: str
    length: int
    special: Mapping[str, tuple[str, int | None]]
    """By role ("pad_token"): the token and its id."""

    chat: Mapping[str, str | NotRendered]
    """Conversations as its chat template writes them, by the names that the doctor gave them."""

    samples: int = 0
    """How many texts were encoded by transformers and by tokenizer.json; 0 without that file."""

    differs: tuple[Difference, ...] = ()
    """Those that got other ids."""

    tried: tuple[OtherClass, ...] = ()
    """What other classes make of them."""


@dataclass(frozen=True)
class TensorCounts:
    """How many names there are of each kind."""

    missing: int = 0
    unused: int = 0
    differing: int = 0


@dataclass(frozen=True)
class OtherShape:
    """A tensor whose shape in the file is not that of the model; None if a shape is not known."""

    name: str
    stored: tuple[int, ...] | None
    wanted: tuple[int, ...] | None


@dataclass(frozen=True)
class LoadedCheckpoint:
    """A checkpoint as `from_pretrained` loads it into a class, without values.

    Each list has the first 300 names of its kind; `counts` is of all.
    """

    class_name: str
    tensors: int
    """How many tensors the files have."""

    of_model: int
    """How many tensors the model needs."""

    counts: TensorCounts
    missing: tuple[str, ...] = ()
    """Tensors of the model that no file has."""

    unused: tuple[str, ...] = ()
    """Tensors of the files that the model does not have."""

    differing: tuple[OtherShape, ...] = ()


@dataclass(frozen=True)
class LoadedAdapter:
    """The modules of the policy that peft adapts for the run's LoRA targets."""

    class_name: str
    targets: tuple[str, ...]
    matched: Mapping[str, int]
    """By target: how many modules have this name."""

    linear: tuple[str, ...]
    """The first names of linear modules."""

    refusal: str
    """The message with which peft refuses the targets, empty if it accepts them."""

    adapted: int
    """How many modules got an adapter."""

    adapted_head: bool
    """Whether the output layer is one of them."""

    head_refused: bool
    """Whether the run's trainer refuses an adapter on the output layer."""


@dataclass(frozen=True)
class LoadAnswer:
    """What each part of the run becomes when it is loaded."""

    tokenizer: Part[LoadedTokenizer]
    models: Mapping[str, Part[LoadedCheckpoint]]
    """By role."""

    adapter: Part[LoadedAdapter]
