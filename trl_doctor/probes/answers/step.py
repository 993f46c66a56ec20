"""The answer of the probes `step` and `healthy_step`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .error import Error
from .gradients import Gradients
from .rows import Completions, Labels
from .segment import Segment


@dataclass(frozen=True)
class StepSeconds:
    """How long it took to make the small models, to create the trainer, and to take the step."""

    models: float
    build: float
    step: float


@dataclass(frozen=True)
class Resumed:
    """A second trainer that resumed from a checkpoint of the first, for one more step."""

    raised: Error | None
    """The error that kept it from that."""

    differing: tuple[str, ...] = ()
    """The first names of weights that are not those with which the first trainer had ended."""

    count: int = 0
    """How many there are."""


@dataclass(frozen=True)
class Unlearned:
    """The first or the last token of answers, which a loss of the script's own does not teach."""

    side: Literal["first", "last"]
    token: str
    """That of the first of these answers."""

    rows: int
    """How many lose it; fewer than `of` if these are the longest of their batches."""

    of: int
    pads: bool = False
    """Whether the loss leaves it out as the token that pads, wherever it stands."""

    moved: bool = False
    """Whether it teaches a token on the other side of the answer in its place."""

    fades: bool = False
    """Whether the loss of the tokens beside it is smaller, too: tokens may have weights."""

    fixed: bool = False
    """Whether they begin with the same token, and differ behind it: that may be meant."""


@dataclass(frozen=True)
class RowLosses:
    """The losses of a short and of a long row after the step, without dropout.

    `before` is measured with the weights of the step. For the others, noise is added to each weight
    that is trained.
    """

    before: tuple[float, float] = (0.0, 0.0)
    """Of two batches of one row."""

    alone: tuple[float, float] = (0.0, 0.0)
    """Of two batches of one row."""

    targets: tuple[int, int] = (0, 0)
    """How many targets each of these batches has, 0 if the batch hides them."""

    together: float = 0.0
    """Of one batch that has both rows."""

    why: str = ""
    """The error because of which they are not known."""


@dataclass(frozen=True)
class Accumulated:
    """The added gradients of two batches of one row, after the step and without dropout."""

    share: float = 1.0
    """The sum as a multiple of the gradient of one batch that has the row twice: 1 if the loss is
    divided by the number of batches."""

    why: str = ""
    """The error because of which it is not known."""


@dataclass(frozen=True)
class StepAnswer:
    """One training step on a small model; sizes are those of that model."""

    trainer: str
    architecture: str
    layers: int
    hidden: int
    parameters: int
    vocabulary: int
    turn_end_probability: float | None
    """How likely the small model generates the end of its turn, None if it prefers no token."""

    rows: int
    rows_from: str
    """The file of the rows, or "made"."""

    rows_why: str
    """Why the run's own rows were not used, empty if it has none."""

    conversational: bool
    changed: Mapping[str, tuple[Any, Any, str]]
    """By argument: the run's value, the value that was used, and the reason."""

    rewards: tuple[str, ...]
    """The reward functions, as source expressions."""

    rewards_left_out: Mapping[str, str]
    """Why, by the name of the function."""

    adapter: bool
    script_found: bool
    """Whether TRL has a script of its own for this trainer."""

    script_pads: Literal["never", "where missing", "always"]
    """When that script makes the eos token the pad token."""

    tokenizer: str
    pad: int | None
    """The id that pads."""

    device: str
    loss: float | None
    """None if no step was taken."""

    not_finite: tuple[str, ...]
    """The names of logged losses that are nan or infinite."""

    log: Mapping[str, float]
    """What the trainer logged; empty if no step was taken."""

    gradients: Gradients | None
    """None if no optimizer took a step."""

    labels: Labels | None
    """None for trainers that generate."""

    completions: Completions | None
    """None if nothing was generated."""

    seconds: StepSeconds
    not_saved: Error | None = None
    """What the trainer raised when it saved its model after the step."""

    not_evaluated: Error | None = None
    """What its evaluation raised, if the run evaluates."""

    resumed: Resumed | None = None
    """None if it was not tried: the run saves no checkpoint, cannot resume, or its step is slow."""

    row_losses: RowLosses | None = None
    """None for trainers that generate, and if all rows have the same length."""

    accumulated: Accumulated | None = None
    """None for trainers that generate, and if no gradient is left."""

    masked: float | None = None
    """For a loss of the script's own: the share of its gradient at tokens with a label of -100."""

    padded: float | None = None
    """The same at padding, of batches that have no labels."""

    copied: float | None = None
    """For a loss that shifts no labels itself: the share of places that predict their own token."""

    rowless: float | None = None
    """For a loss of the script's own: the share of a batch's rows that have no gradient."""

    ahead: float | None = None
    """The same: the share of places that predict the token after the next one."""

    unlearned: tuple[Unlearned, ...] | None = None
    """For a trainer class of the script: the ends of answers that have no gradient in any row."""

    first_row: tuple[Segment, ...] = ()
    """The first row of a batch, or a prompt; empty if it is not known."""
