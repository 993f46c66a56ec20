"""Shared by the rules about reward functions: places, evidence and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from linecache import getline
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.core.finding import Place, Spot
from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.measured.rewards import Reward, Rewards

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rewards import RewardError

HERE = "the run's rows are not on this machine: it was tested on generated rows"
REHEARSED = "a rehearsal calls it with the small model's completions, not with right answers"

KILLED = -9
"""The exit status of a process that the system killed, most likely because memory ran out."""


def place(facts: Facts, reward: Reward) -> Place:
    """The place where the run file names the function; where a script defines it."""
    if facts.run.by_class and reward.trial.file:
        spot = Spot(reward.trial.line, 1, getline(reward.trial.file, reward.trial.line).rstrip())
        return Place(Path(reward.trial.file), spot=spot)
    first_names = isinstance(facts.run.arguments.get("reward_funcs"), list)
    return facts.run.place("reward_funcs", *([reward.index] if first_names else []))


def kinds(names: Iterable[str]) -> str:
    """Kinds of completions in words, wrong answers first: "garbage, empty, gold: boxed"."""
    first_names = sorted(dict.fromkeys(names), key=lambda kind: ":" in kind)
    return ", ".join(first_names[:4]) + (", …" if len(first_names) > 4 else "")


def defined(reward: Reward) -> tuple[str, ...]:
    """Evidence: where a function is defined; empty if it is not known."""
    return (f"defined at {reward.where}",) if reward.where else ()


def form(facts: Facts) -> tuple[str, ...]:
    """Evidence: what a completion of this run is; empty if it is not known."""
    kind = facts.get(dataset.kind)
    if kind is None:
        return ()
    form_ = "lists of messages" if kind.conversational else "texts"
    return (f"completions of this run are {form_}: {kind.because}",)


def first_names(names: Sequence[str]) -> str:
    """The first names in the order of the alphabet."""
    return ", ".join(sorted(names)[:6]) + (", …" if len(names) > 6 else "")


def of_trl(reward: Reward) -> bool:
    """Whether it is one of TRL's own, whose parameters cannot be renamed."""
    file = reward.trial.file
    return "/site-packages/trl/" in file if file else "." not in reward.name


def column_renamed(run_rewards: Rewards, missing: Sequence[str]) -> str:
    """The remedy: which column of the data set should have the name of the parameter."""
    measured = run_rewards.measured
    column = measured.gold or (measured.columns[0] if len(measured.columns) == 1 else "")
    if not measured.rows or not column or len(missing) > 1:
        return (
            f"add the column {first_names(missing)} to the data set, or use a function of your own"
        )
    return f"rename the column {column} of the data set to {missing[0]}"


def own_columns(facts: Facts, run_rewards: Rewards) -> tuple[str, ...]:
    """Evidence: the columns of the run's own rows, if these are known."""
    measured = run_rewards.measured
    known_columns = measured.columns if measured.rows or rehearsed(facts) else ()
    return (f"columns of the rows: {', '.join(known_columns)}",) if known_columns else ()


def correction(reward: Reward, error: RewardError) -> str:
    """The remedy of an error inside a function: the line of its file, and what to look at."""
    own = [frame for frame in error.frames if frame[0] == reward.trial.file]
    file, line, _, _ = (own or error.frames)[-1]
    where = f"correct line {line} of {file.rpartition('/')[2]}"
    if "NoneType" in error.message:
        return f"{where}: a value there is None. Return 0.0 for a completion that cannot be parsed"
    return f"{where}, and return 0.0 for a completion that cannot be parsed"


def in_file(reward: Reward, file: str, line: int) -> str:
    """A line of the function's own file without its folder, another one as `at` shows it."""
    return f"{file.rpartition('/')[2]}:{line}" if file == reward.trial.file else at(file, line)


def at(file: str, line: int) -> str:
    """A source line in the short form that a reader needs."""
    return f"{file.rpartition('site-packages/')[2]}:{line}"


def refuse_unjudged(rewards_: Rewards, *, rows: bool = False) -> None:
    """Raise `Unavailable` if a function returned no values to judge, and no other rule reports it.

    `rows`: values are judged only on the run's own rows.
    """
    reasons = [
        f"{reward.name}: {reason}" for reward in rewards_.functions if (reason := unjudged(reward))
    ]
    if reasons:
        raise several(reasons)
    if rows and not rewards_.measured.rows:
        tried = any(reward.best for reward in rewards_.functions)
        raise Unavailable(HERE if tried else REHEARSED)


def unjudged(reward: Reward) -> str:
    """Why a function returned no values; "" if it returned some."""
    trial = reward.trial
    if reward.state == "not called":
        return "not called: set dataset_format (text or conversational)"
    if reward.state == "held back":
        raised = trial.error.message if trial.error else ""
        return trial.reason or raised or "it was held back"
    if trial.status == KILLED:
        return "its process was killed, probably because memory ran out"
    reasons = {
        "raised": "it raises an error",
        "took too long": "it takes too long",
        "ended the process": "it ends the process that calls it",
        "not imported": "it cannot be imported",
        "unknown name": "it cannot be imported",
    }
    return reasons.get(reward.state, "")
