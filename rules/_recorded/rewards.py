"""Answers of the probe that calls reward functions."""

from dataclasses import replace
from typing import Any

from trl_doctor.core.finding import Json
from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.rewards import RewardError, RewardsAnswer, RewardTrial

from .candidate import CONFIG, TOKENIZER, candidate
from .candidate import RUN as GRPO
from .libraries import IMPORTS
from .runs import recorded

RUN: dict[str, Json] = {**GRPO, "reward_funcs": ["mine.score"]}
FILES = candidate(RUN, TOKENIZER, CONFIG)
TRL = {"trl": "1.16.0"}
GARBAGE, GOLD = "garbage", "gold: boxed"


WELL = recorded("grpo", "rewards", RewardsAnswer)


def answers(*functions: RewardTrial, rows: int = 2, **release: Any) -> Answers:
    """What the probe answers about a run with these functions, under trl 1.16.0 if not said."""
    gold = WELL.gold if rows else None
    changed = {"functions": functions, "rows": rows, "gold": gold, **release}
    return {**IMPORTS, "rewards": replace(WELL, **changed)}


def returned(gold: float = 1.0, garbage: float = 0.0, **more: Any) -> RewardTrial:
    """A function that gives these rewards to answers and to all else."""
    by_kind = {GOLD: gold, GARBAGE: garbage, "empty": garbage}
    values = tuple((row, kind, one) for row in (0, 1) for kind, one in by_kind.items())
    return replace(WELL.functions[0], values=values, **more)


def raised(
    kind: str, message: str, *, frames: bool = True, lacks: str | None = None, **more: Any
) -> RewardTrial:
    """A function that raises an error of this class."""
    at = ("/run/mine.py", 4, "score", "return [judge(one) for one in completions]")
    error = RewardError(
        kind,
        message,
        frames=(at,) if frames else (),
        lacks=lacks,
        on_import=kind in ("ImportError", "ModuleNotFoundError"),
    )
    about = {"name": "mine.score", "state": "raised", "file": "/run/mine.py", "line": 3}
    return RewardTrial(**{**about, "reads_gold": True, "error": error, **more})
