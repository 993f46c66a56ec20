"""What the rules about reward functions share: places, reasons, and answers for their examples."""

from collections.abc import Iterable

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.rewards import Reward, Rewards

HERE = "the run's rows are not on this machine: it was tested on generated rows"

KILLED = -9
"""The exit status of a process that was killed from outside, for want of memory most likely."""


def place(facts: Facts, reward: Reward) -> Place:
    """Where the run file names the function."""
    listed = isinstance(facts.run.arguments.get("reward_funcs"), list)
    return facts.run.place("reward_funcs", *([reward.index] if listed else []))


def kinds(found: Iterable[str]) -> str:
    """Some kinds of completions in words, no answers first: "garbage, empty, gold: boxed"."""
    listed = sorted(dict.fromkeys(found), key=lambda kind: ":" in kind)
    return ", ".join(listed[:4]) + (", …" if len(listed) > 4 else "")


def defined(reward: Reward) -> tuple[str, ...]:
    """The evidence that says where a function stands; nothing where that is not known."""
    return (f"defined at {reward.where}",) if reward.where else ()


def form(facts: Facts) -> tuple[str, ...]:
    """The evidence that says what a completion of this run is; nothing where that is open."""
    kind = facts.get(dataset.kind)
    if kind is None:
        return ()
    said = "lists of messages" if kind.conversational else "texts"
    return (f"completions of this run are {said}: {kind.because}",)


def at(file: str, line: int) -> str:
    """A line of a package, or of the user's, as far as a reader needs it."""
    return f"{file.rpartition('site-packages/')[2]}:{line}"


def say_open(found: Rewards, *, rows: bool = False) -> None:
    """Raise `Unavailable` where a function gave no values to judge, and no other rule says why.

    `rows`: values are judged only on the run's own rows.
    """
    why = [f"{one.name}: {reason}" for one in found.functions if (reason := unjudged(one))]
    if why:
        raise Unavailable("; ".join(why))
    if rows and not found.rows:
        raise Unavailable(HERE)


def unjudged(reward: Reward) -> str:
    """Why a function gave no values; "" where it gave some."""
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
