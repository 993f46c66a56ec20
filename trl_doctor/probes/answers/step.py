"""The answer of the probes `step` and `healthy_step`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .error import Error
from .gradients import Gradients
from .segment import Segment


@dataclass(frozen=True)
class Beginnings:
    """How `rows` begin: `without` the token `bos`, or with it `twice`.

    `adds` says that the tokenizer itself puts the token before a text.
    """

    bos: str
    adds: bool
    rows: int
    without: int
    twice: int


@dataclass(frozen=True)
class Turns:
    """How `rows` are divided into turns by the marks of their chat template.

    `head` begins an answer and `end` follows it; `end` is empty if that is no special token.
    `twice` rows have two beginnings of a turn with nothing between them, `outside` rows have text
    between the end of a turn and the beginning of the next. `shown` is a part of the first row of
    each kind.
    """

    head: str
    end: str
    rows: int
    twice: int
    outside: int
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Completions:
    """What was generated, and how the trainer counts it; lengths in tokens.

    `lengths` go up to the first of the ids `ends`, itself included; `width` is the longest
    completion. `ended` have such an id, `after` go on behind it to the `limit`. The model leans
    towards `turn_end`, None if it leans towards nothing. `trainer_eos` are the ids at which the
    trainer takes a completion for ended; `stop_token_id` is PPO's, None if it has none.
    `begins` and `turns` are about the prompts as the model got them.
    """

    count: int
    lengths: tuple[int, ...]
    limit: int
    width: int
    ended: int
    different: int
    turn_end: int | None
    ends: tuple[int, ...]
    after: int
    trainer_eos: tuple[int, ...]
    stop_token_id: int | None
    takes_stop_token: bool
    begins: Beginnings | None = None
    turns: Turns | None = None


@dataclass(frozen=True)
class Labels:
    """What a trainer trains on of the `given` rows: `rows` are those that it kept.

    `targets` are the tokens with a loss, a number for each row; None if the batches hide them:
    then the four that follow say nothing, and `why` is what was raised, if anything. `empty` rows
    have no target; `turn_end` and `eos` count the rows with that id among their targets; `last`
    are the last three targets of the first two rows. `full` rows are as long as `max_length`.
    `turn_end_id` is None if no template of the candidate's own is used, or it has no such id.
    `asked` counts the rows whose question has a loss, `missed` those of whose answer a part has
    none; both are None if questions are to have one.
    `begins` is None if the tokenizer has no bos, `turns` where no template marks turns.
    `shifted` rows have labels that are the tokens of the next places; `on_padding` counts labels
    where the attention mask leaves the token out. `cut` rows have an answer of `most` tokens, as
    many as `max_completion_length` leaves of one. `overwritten` rows come with labels that leave
    out tokens which have a loss in the batch. `emptied_by` is the column that leaves out each token
    of the `empty` rows, as the rows were given.
    """

    given: int
    rows: int
    max_length: int | None
    targets: tuple[int, ...] | None
    full: int
    empty: int = 0
    turn_end: int = 0
    eos: int = 0
    last: tuple[tuple[int, ...], ...] = ()
    why: str = ""
    turn_end_id: int | None = None
    eos_id: int | None = None
    packed: bool = False
    asked: int | None = None
    missed: int | None = None
    begins: Beginnings | None = None
    turns: Turns | None = None
    shifted: int = 0
    on_padding: int = 0
    most: int | None = None
    cut: int = 0
    overwritten: int = 0
    emptied_by: str = ""


@dataclass(frozen=True)
class StepSeconds:
    """How long it took to make the small models, to build the trainer, and to take the step."""

    models: float
    build: float
    step: float


@dataclass(frozen=True)
class Resumed:
    """A second trainer that went on from a checkpoint of the first, for one more step.

    `raised` is what kept it from that. `differing` are the first of `count` trained weights which
    it began with otherwise than the first trainer had left them.
    """

    raised: Error | None
    differing: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Beside:
    """The losses of a short and a long row after the step, without dropout.

    `before` are those of two batches of one row. Then noise is added to each trained weight:
    `alone` are those of the same batches, with the `targets` of each (0 if the batch hides
    them), and `together` is that of one batch of both. `why` is what was raised instead, if
    anything.
    """

    before: tuple[float, float] = (0.0, 0.0)
    alone: tuple[float, float] = (0.0, 0.0)
    targets: tuple[int, int] = (0, 0)
    together: float = 0.0
    why: str = ""


@dataclass(frozen=True)
class Accumulated:
    """The gradients of two batches of one row, added up, after the step and without dropout.

    `share` is that sum as a multiple of the gradient of one batch which has the row twice: 1 if
    the loss is divided by the batches of a step. `why` is what was raised instead, if anything.
    """

    share: float = 1.0
    why: str = ""


@dataclass(frozen=True)
class StepAnswer:
    """One training step of `trainer` on a small model; sizes are those of that model.

    `leans` is the probability with which it says its turn end, None if it leans towards
    nothing. `rows_from` is a file or "made"; then `rows_why` says why the run's own were not
    taken, empty if there are none. `changed` are arguments that are not the run's own: given,
    used, why. `rewards` are source expressions, `rewards_left_out` the reasons by name.
    `script_pads` says when TRL's own script makes the eos the pad token; `pad` is the id that pads.
    `loss` is None, and `log` empty, if no step was taken; `not_finite` are the names of logged
    losses that are not finite. `gradients` is None if no optimizer made a step, `labels` for
    trainers that generate, `completions` where none were generated. `not_saved` is what was raised
    when the trainer saved its model afterwards, None if it did; `not_evaluated`
    what its evaluation raised, where the run evaluates. `resumed` is None if no second trainer
    was tried: the run saves no checkpoints, cannot go on from one, or its step takes long.
    `beside` is None for trainers that generate, and where all rows have one length; `accumulated`
    for trainers that generate, and if no gradient is left. `masked` is the share of the gradient of
    a loss of the script's own at tokens with a label of -100, `copied` that of the places that are
    to predict their own token. `first_row` is that of a batch, or a prompt; empty if not known.
    """

    trainer: str
    architecture: str
    layers: int
    hidden: int
    parameters: int
    vocabulary: int
    leans: float | None
    rows: int
    rows_from: str
    rows_why: str
    conversational: bool
    changed: Mapping[str, tuple[Any, Any, str]]
    rewards: tuple[str, ...]
    rewards_left_out: Mapping[str, str]
    adapter: bool
    script_found: bool
    script_pads: Literal["never", "where missing", "always"]
    tokenizer: str
    pad: int | None
    device: str
    loss: float | None
    not_finite: tuple[str, ...]
    log: Mapping[str, float]
    gradients: Gradients | None
    labels: Labels | None
    completions: Completions | None
    seconds: StepSeconds
    not_saved: Error | None = None
    not_evaluated: Error | None = None
    resumed: Resumed | None = None
    beside: Beside | None = None
    accumulated: Accumulated | None = None
    masked: float | None = None
    copied: float | None = None
    first_row: tuple[Segment, ...] = ()
