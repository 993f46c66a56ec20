"""Shared by the rules about reward functions: places, evidence and reasons."""

from collections.abc import Iterable

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.rewards import Reward, Rewards

HERE = "the run's rows are not on this machine: it was tested on generated rows"
REHEARSED = "a rehearsal calls it with the small model's completions, not with right answers"

KILLED = -9
"""The exit status of a process that the system killed, most likely because memory ran out."""


def place(facts: Facts, reward: Reward) -> Place:
    """The place where the run file names the function."""
    listed = isinstance(facts.run.arguments.get("reward_funcs"), list)
    return facts.run.place("reward_funcs", *([reward.index] if listed else []))


def kinds(names: Iterable[str]) -> str:
    """Kinds of completions in words, wrong answers first: "garbage, empty, gold: boxed"."""
    listed = sorted(dict.fromkeys(names), key=lambda kind: ":" in kind)
    return ", ".join(listed[:4]) + (", …" if len(listed) > 4 else "")


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
        "raised": "it raises",
        "took too long": "it takes too long",
        "ended the process": "it ends the process that calls it",
        "not imported": "it cannot be imported",
        "unknown name": "it cannot be imported",
    }
    return reasons.get(reward.state, "")
