"""What probes answer about rows: how they begin, their turns, their labels, their completions."""

from __future__ import annotations

from dataclasses import dataclass

TEMPLATE = "response_template"
"""The argument of a collator that finds answers by the text before them."""


@dataclass(frozen=True)
class Beginnings:
    """Whether rows begin with the tokenizer's bos token."""

    bos: str
    adds: bool
    """Whether the tokenizer itself puts it before a text."""

    rows: int
    without: int
    """Rows that do not begin with it."""

    twice: int
    """Rows that begin with two of them."""


@dataclass(frozen=True)
class Turns:
    """How rows are divided into turns by the marks of their chat template."""

    head: str
    """The text with which an answer begins."""

    end: str
    """The special token that ends it, empty if that is no special token."""

    rows: int
    twice: int
    """Rows with two beginnings of a turn and nothing between them."""

    outside: int
    """Rows with text between the end of a turn and the beginning of the next one."""

    shown: tuple[str, ...] = ()
    """A part of the first row of each kind."""

    open_at_end: int = 0
    """Rows that end with `head`: an answer begins, and there is none."""

    ended_twice: int = 0
    """Rows in which `end` and nothing but spaces, then `end` again, ends a turn or the row."""


@dataclass(frozen=True)
class Completions:
    """The completions that were generated, and how the trainer counts them."""

    count: int
    lengths: tuple[int, ...]
    """In tokens, up to the first of `ends`, which counts too."""

    limit: int
    width: int
    """The length of the longest."""

    ended: int
    """How many have one of `ends`."""

    different: int
    turn_end: int | None
    """The token id that the small model generates most often, None if it prefers none."""

    ends: tuple[int, ...]
    """The token ids that end a turn."""

    after: int
    """How many go on behind such a token, up to the limit."""

    trainer_eos: tuple[int, ...]
    """The token ids by which the trainer counts a completion as ended."""

    stop_token_id: int | None
    """That of PPO, None if there is none."""

    takes_stop_token: bool
    """Whether the trainer's config has an argument for it."""

    begins: Beginnings | None = None
    """Of the prompts, as the model got them."""

    turns: Turns | None = None
    """Of the prompts, as the model got them."""

    longest_prompt: int = 0
    """In tokens, as the model got it."""


@dataclass(frozen=True)
class Labels:
    """The tokens of the rows that a trainer trains on: those with a label, the targets."""

    rows_given: int
    """How many rows the trainer got."""

    rows: int
    """How many of them it kept."""

    max_length: int | None
    targets: tuple[int, ...] | None
    """How many targets each row has, None if the batches hide them. Then `empty`, `turn_end`, `eos`
    and `last` are not known."""

    full: int
    """Rows as long as `max_length`, or longer."""

    longer: tuple[int, ...] = ()
    """The tokens of each row that is longer, without padding."""

    empty: int = 0
    """Rows without a target."""

    turn_end: int = 0
    """Rows that have the end of the turn among their targets."""

    eos: int = 0
    """Rows that have the eos token among their targets."""

    stops: bool = False
    """Whether the script's code names texts, or criteria of its own, at which generation stops."""

    ends_masked: int = 0
    """Rows whose end is behind their last target, and has no loss."""

    inside: int = 0
    """Rows with more text, and not its end, behind their last target."""

    last: tuple[tuple[int, ...], ...] = ()
    """The last three targets of the first two rows."""

    last_texts: tuple[tuple[str, ...], ...] = ()
    """The same tokens as texts."""

    ends_hidden: int = 0
    """Rows that end with the eos or the end of a turn, but have a loss on none of these."""

    eos_text: str = ""

    why: str = ""
    """The error because of which the targets are not known, if there was one."""

    turn_end_id: int | None = None
    """None if no template of the candidate is used, or its turns end in no token of their own."""

    eos_id: int | None = None
    packed: bool = False
    questions_learned: int | None = None
    """Rows whose question has targets, None if questions are to have some."""

    answers_missed: int | None = None
    """Rows that lack targets for a part of the answer, None if questions are to have targets."""

    begins: Beginnings | None = None
    """None if the tokenizer has no bos token."""

    turns: Turns | None = None
    """None if no template marks turns."""

    shifted: int = 0
    """Rows whose labels are the tokens of the next places, as if the model did not shift them."""

    of_other_places: int = 0
    """Rows whose labels are other tokens than those at their places, and at the next ones."""

    on_padding: int = 0
    """Labels where the attention mask leaves the token out."""

    most: int | None = None
    """The tokens that `max_completion_length` leaves of a longer answer."""

    cut: int = 0
    """Rows whose answer has as many tokens as that."""

    full_prompts: int = 0
    """Rows whose prompt alone has `max_length` tokens or more, in columns of its own."""

    overwritten: int = 0
    """Rows that came with labels of their own, and get targets where these have none."""

    emptied_by: str = ""
    """The column that leaves out every token of the `empty` rows, as they came; or `TEMPLATE`, if
    none of them has the text after which the collator looks for answers."""
