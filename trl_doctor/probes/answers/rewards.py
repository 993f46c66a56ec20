"""The answer of the probe `rewards`."""

from __future__ import annotations

from dataclasses import dataclass

from .error import Error

IN_GARBAGE = "answer in garbage"
"""The kind of a completion that has the right answer in the middle of garbage."""

FINAL = "final answer"
"""The kind of a completion with the end of a right answer that is a whole solution."""

HEDGED = "right and wrong"
"""The kind of a completion with the right answer and then a wrong one."""


@dataclass(frozen=True)
class RewardError(Error):
    """What a reward function raised; `on_import`: an ImportError, `lacks` the module it names."""

    lacks: str | None = None
    on_import: bool = False


@dataclass(frozen=True)
class RewardTrial:
    """What became of one reward function; what its `state` does not concern is left empty.

    "unknown name": `known` are the names of TRL's script, None if it takes none. "not
    imported", "raised" and "held back": `error`, or `reason`; it raised `on` these kinds of
    completions only, on all if there are none. "took too long": `seconds` were given, while it
    was `importing`, or was `given` so many completions with `done` of them before; `at` is file,
    line, function and source of where it was. "ended the process": its exit `status`, a signal's
    number is negative. "returned": of `expected` rewards `returned`, None for a single number;
    `values` are row, kind of completion and reward, `none` counts None among them, `seconds` are
    for one completion; `exploits` are like `values`, of completions that should get nothing, empty
    if it is slow. "not called": nothing.

    `of_first_row`: it gives all completions of a call what the first row's columns call for.
    `of_place`: a completion gets another reward at another place of the call. `of_earlier`: the
    first completion of a prompt decides what the later ones get.
    `punishes`: what it says that it punishes, "length" or "repetition". `of_length` are the rewards
    of completions that grow, `of_repetition` of those that repeat more and more, `of_variety` of
    those of many kinds; fewer if it is slow. `asks_for`: the tag that the prompt has opened, if
    answers after it get nothing.
    `file` and `line` are where it is defined, "" and 0 if nobody knows. `reads_gold`: it names
    the column of the right answers. `unexpected` arguments it does not take, `missing` it lacks.
    """

    name: str
    state: str
    file: str = ""
    line: int = 0
    reads_gold: bool = False
    unexpected: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    known: tuple[str, ...] | None = None
    error: RewardError | None = None
    reason: str = ""
    on: tuple[str, ...] = ()
    importing: bool = False
    done: int = 0
    given: int = 0
    at: tuple[str, int, str, str] | None = None
    status: int | None = None
    expected: int = 0
    returned: int | None = None
    values: tuple[tuple[int, str, float], ...] = ()
    none: int = 0
    seconds: float = 0.0
    exploits: tuple[tuple[int, str, float], ...] = ()
    of_first_row: bool = False
    of_place: bool = False
    of_earlier: bool = False
    punishes: tuple[str, ...] = ()
    of_length: tuple[float, ...] = ()
    of_repetition: tuple[float, ...] = ()
    of_variety: tuple[float, ...] = ()
    asks_for: str = ""


@dataclass(frozen=True)
class RewardsAnswer:
    """The run's functions in its order, the rows they were tried on, and how this release calls.

    `handed_on` is the variable that TRL's script gives its trainer as reward_funcs, None if it
    collects no functions. `rows` counts the run's rows, 0 for made ones; `gold` is the column of
    the right answers, None if none looks like it. `passes` are the arguments besides the
    `columns`. `counts`: another number of rewards than of completions is refused; `none_is_nan`:
    None leaves one out; `mends_nan`: advantages that are no numbers become 0.
    """

    functions: tuple[RewardTrial, ...]
    handed_on: str | None
    rows: int
    gold: str | None
    columns: tuple[str, ...]
    passes: tuple[str, ...]
    counts: bool
    none_is_nan: bool
    mends_nan: bool
