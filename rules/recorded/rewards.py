"""Answers of the probe that calls reward functions."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.core.finding import Json
from trl_doctor.facts.rule import Answers

from .candidate import CONFIG, TOKENIZER, candidate
from .candidate import RUN as GRPO
from .libraries import IMPORTS

RUN: dict[str, Json] = {**GRPO, "reward_funcs": ["mine.score"]}
FILES = candidate(RUN, TOKENIZER, CONFIG)
TRL = {"trl": "1.16.0"}
GARBAGE, GOLD = "garbage", "gold: boxed"


def answers(*functions: Mapping[str, Any], rows: int = 2, **release: Any) -> Answers:
    """What the probe answers about a run with these functions, under trl 1.16.0 if not said."""
    said = {
        "counts": True,
        "none_is_nan": True,
        "mends_nan": True,
        "handed_on": "reward_funcs",
        **release,
    }
    passes = ["completion_ids", "completions", "log_extra", "log_metric", "prompts"]
    passes += ["trainer_state"]
    common = {
        "rows": rows,
        "gold": "solution" if rows else None,
        "columns": ["solution"],
        "passes": passes,
    }
    asked = {"functions": list(functions), **common, **said}
    return {**IMPORTS, "rewards": asked}


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
