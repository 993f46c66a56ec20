"""What the rules about reward functions share: places, reasons, and answers for their examples."""

from collections.abc import Iterable, Mapping
from typing import Any

from trl_doctor import dataset
from trl_doctor.dry_run.rewards import Reward, Rewards
from trl_doctor.facts import Facts, Unavailable
from trl_doctor.finding import Json, Place

from ._examples import CONFIG, TOKENIZER, candidate
from ._examples import RUN as GRPO

HERE = "the run's rows are not here: it was tried on made ones"

KILLED = -9
"""The exit status of a process that was killed from outside, for want of memory most likely."""


def place(facts: Facts, reward: Reward) -> Place:
    """Where the run file names the function."""
    listed = isinstance(facts.run.arguments.get("reward_funcs"), list)
    return facts.run.place("reward_funcs", *([reward.index] if listed else []))


def trainer(facts: Facts) -> str:
    """`GRPOTrainer of trl 0.24.0`."""
    named = facts.run.trainer
    name = "the trainer" if isinstance(named, Unavailable) else named.trainer
    return f"{name} of trl {facts.environment.version('trl')}"


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


def first_line(error: Mapping[str, Any]) -> str:
    """An error as a probe tells it, in one line: its type, and what it says first if anything."""
    first = str(error["message"]).strip().splitlines()[:1]
    return f"{error['type']}: {first[0]:.300}" if first else str(error["type"])


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
    if reward.state == "not called":
        return "not called: say dataset_format (text or conversational)"
    if reward.state == "held back":
        return str(reward.said.get("reason") or reward.error.get("message") or "it was held back")
    if reward.said.get("status") == KILLED:
        return "its process was killed, for want of memory most likely"
    reasons = {
        "raised": "it raises",
        "took too long": "it takes too long",
        "ended the process": "it ends the process that calls it",
        "not imported": "it cannot be imported",
        "unknown name": "it cannot be imported",
    }
    return reasons.get(reward.state, "")


RUN: dict[str, Json] = {**GRPO, "reward_funcs": ["mine.score"]}
FILES = candidate(RUN, TOKENIZER, CONFIG)
TRL = {"trl": "1.16.0"}
GARBAGE, GOLD = "garbage", "gold: boxed"


def answers(
    *functions: Mapping[str, Any], rows: int = 2, **release: Any
) -> dict[str, dict[str, Any]]:
    """What the probe answers about a run with these functions, under trl 1.16.0 if not said."""
    said = {"counts": True, "none_is_nan": True, "mends_nan": True, **release}
    passes = ["completion_ids", "completions", "log_extra", "log_metric", "prompts"]
    passes += ["trainer_state"]
    common = {
        "handed_on": "reward_funcs",
        "rows": rows,
        "gold": "solution" if rows else None,
        "columns": ["solution"],
        "passes": passes,
    }
    asked = {"functions": list(functions), **common, **said}
    return {"libraries": {"failed": {}}, "rewards": asked}


def returned(gold: float = 1.0, garbage: float = 0.0, **more: Any) -> dict[str, Any]:
    """A function that gives these rewards to answers and to all else."""
    by_kind = {GOLD: gold, GARBAGE: garbage, "empty": garbage}
    values = [[row, kind, one] for row in (0, 1) for kind, one in by_kind.items()]
    about = {"name": "mine.score", "file": "/run/mine.py", "line": 3, "reads_gold": True}
    counts = {"expected": 8, "returned": 8, "none": 0, "seconds": 2e-6, "values": values}
    return {**about, "unexpected": [], "missing": [], "state": "returned", **counts, **more}


def raised(kind: str, message: str, *, frames: bool = True, **more: Any) -> dict[str, Any]:
    """A function that raises an error of this class."""
    at = [["/run/mine.py", 4, "score", "return [judge(one) for one in completions]"]]
    error = {"type": kind, "message": message, "frames": at if frames else [], "lacks": None}
    imports = {"import": kind in ("ImportError", "ModuleNotFoundError"), **more.pop("error", {})}
    about = {"name": "mine.score", "file": "/run/mine.py", "line": 3, "reads_gold": True}
    return {
        **about,
        "unexpected": [],
        "missing": [],
        "state": "raised",
        "on": [],
        "error": {**error, **imports},
        **more,
    }
