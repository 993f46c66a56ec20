"""The answer of the probe `rewards`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .error import Error

IN_GARBAGE = "answer in garbage"
"""The kind of a completion that has the right answer in the middle of garbage."""

FINAL = "final answer"
"""The kind of a completion with the end of a right answer that is a whole solution."""

HEDGED = "right and wrong"
"""The kind of a completion with the right answer and then a wrong one."""


@dataclass(frozen=True)
class LeastAt:
    """A length that gets less than shorter and longer ones: of a number that a function names."""

    number: int
    unit: Literal["characters", "words", "tokens"]
    lengths: tuple[int, ...]
    values: tuple[float, ...]
    """The reward of each of these lengths."""

    of_right: bool = False
    """Whether right answers were tried, not texts that mean nothing."""


@dataclass(frozen=True)
class CutSolutions:
    """Solutions of the rows that a completion has no room for."""

    column: str
    limit: int
    """The most tokens of a completion."""

    tried: int
    """The rows that were tried."""

    cut: int
    """Those whose solution is paid for as a whole, and gets nothing as far as the limit goes."""

    tokens: int
    """The tokens of the middle one, by the run's tokenizer."""

    words: int
    """The words of the middle one."""


@dataclass(frozen=True)
class RewardError(Error):
    """What a reward function raised."""

    lacks: str | None = None
    """The module that it could not import."""

    on_import: bool = False
    """Whether it is an ImportError."""


@dataclass(frozen=True)
class RewardTrial:
    """What one reward function returned, or why it returned nothing.

    `state` is one of these; fields that it does not need are empty.

    - "returned"
    - "raised", "not imported", "held back": see `error`, or `reason`
    - "unknown name": TRL has no function of this name; see `known`
    - "took too long": see `seconds`, `importing`, `done`, `given` and `at`
    - "ended the process": see `status`
    - "not called"
    """

    name: str
    state: str
    file: str = ""
    line: int = 0
    """Where it is defined; 0 if that is not known."""

    reads_gold: bool = False
    """Whether it has an argument with the name of the column of right answers."""

    takes: tuple[str, ...] = ()
    """The columns that it reads, where no column looks like that of the right answers."""

    unexpected: tuple[str, ...] = ()
    """Arguments that TRL passes and it does not accept."""

    missing: tuple[str, ...] = ()
    """Arguments that it needs and TRL does not pass."""

    known: tuple[str, ...] | None = None
    """The names that TRL's script knows, None if it knows none."""

    error: RewardError | None = None
    reason: str = ""
    on: tuple[str, ...] = ()
    """The kinds of completions on which it raises; empty if it raises on all of them."""

    importing: bool = False
    """Whether the time was over while its module was imported."""

    done: int = 0
    """How many completions it had scored before."""

    given: int = 0
    """How many completions it had been given in the call that took too long."""

    at: tuple[str, int, str, str] | None = None
    """File, line, function and source of the line at which it was."""

    status: int | None = None
    """The exit status; the number of a signal is negative."""

    expected: int = 0
    returned: int | None = None
    """How many rewards came back of `expected`, None for a single number."""

    values: tuple[tuple[int, str, float], ...] = ()
    """Row, kind of completion and reward."""

    none: int = 0
    """How many of the values are None."""

    seconds: float = 0.0
    """The time for one completion; for "took too long" the time that it had."""

    hides: tuple[str, str, int, str] | None = None
    """A mistake that it catches itself: the error, file and line, and the reward that all get."""

    exploits: tuple[tuple[int, str, float], ...] = ()
    """The same as `values` for completions that should get nothing; empty for slow functions."""

    of_first_row: bool = False
    """Whether all completions of a call are scored by the columns of the first row."""

    of_place: bool = False
    """Whether the reward of a completion depends on its place in the call."""

    by_place: str = ""
    """The list outside of the function that it reads by the place of a completion in its call."""

    of_call: tuple[float, ...] = ()
    """What a completion and garbage get in one call, if it is the same, and each of them alone."""

    out_of_order: bool = False
    """Whether two completions of a row get the same two rewards when they change places."""

    of_earlier: bool = False
    """Whether the first completion of a prompt decides the rewards of the later ones."""

    of_text: bool = False
    """Whether a completion gets for one row what the same text got for another row."""

    of_padding: bool = False
    """Whether a completion gets another reward beside a longer one that pads it."""

    punishes: tuple[str, ...] = ()
    """What it punishes by its own words: "length", "repetition"."""

    of_length: tuple[float, ...] = ()
    """The rewards of completions that grow; empty, like the next two, for slow functions."""

    of_repetition: tuple[float, ...] = ()
    """The rewards of completions that repeat more and more."""

    of_variety: tuple[float, ...] = ()
    """The rewards of completions of many kinds."""

    misses_lines: bool = False
    """Whether right answers get nothing if their reasoning has two lines, and something in one."""

    of_end: bool = False
    """Whether the token that ends an answer, in its ids, changes a reward."""

    misses_ends: bool = False
    """Whether right answers get nothing if their ids have the token that ends an answer."""

    misses_bare_ends: bool = False
    """Whether right answers get nothing without a line break behind them."""

    least_at: LeastAt | None = None
    """The length that gets the least, where others get the more the further they are from it."""

    rises_again: LeastAt | None = None
    """The length that gets the least, where longer ones get at most what the shortest ones get."""

    asks_for: str = ""
    """The tag that the prompt has opened, if answers that continue it get nothing."""

    beside: tuple[str, str] = ("", "")
    """Where another number takes a right answer its reward: "before" or "after" the answer, or in
    an "example" after it; and a completion with both."""

    solutions: CutSolutions | None = None
    """The rows' solutions that are cut before what it pays for."""

    paid_with_ends: bool = False
    """Whether it pays right answers only if the column holds the end of each solution alone."""

    pays_if: str = ""
    """What makes a function pay that gives all completions the same: "texts" in place of lists of
    messages, or right answers that are "stripped", "as texts" or "as numbers"."""

    rows_tried: int = 0
    """How many rows with short answers were tried, each with many forms of its answer."""

    unpaid: tuple[tuple[int, str], ...] = ()
    """The rows of these, from 0, whose answers get no more than garbage, with the answers."""


@dataclass(frozen=True)
class RewardsAnswer:
    """The run's reward functions, in their order, and how this release of TRL calls them."""

    functions: tuple[RewardTrial, ...]
    trainer_gets: str | None
    """The variable that TRL's script passes to its trainer as reward_funcs, None if it collects no
    functions."""

    rows: int
    """How many rows of the run they were called with, 0 for rows that the doctor made."""

    gold: str | None
    """The column of the right answers, None if no column looks like it."""

    columns: tuple[str, ...]
    passes: tuple[str, ...]
    """The arguments that TRL passes besides the columns."""

    counts: bool
    """Whether TRL refuses another number of rewards than of completions."""

    none_is_nan: bool
    """Whether None leaves a completion out."""

    replaces_nan: bool
    """Whether advantages that are nan become 0."""
