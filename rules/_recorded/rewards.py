"""Reward functions of examples, and the answers of the probe that calls them."""

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
    """What the probe answers about a run with these functions, under trl 1.16.0 by default."""
    gold = WELL.gold if rows else None
    changed = {"functions": functions, "rows": rows, "gold": gold, **release}
    return {**IMPORTS, "rewards": replace(WELL, **changed)}


def returned(gold: float = 1.0, garbage: float = 0.0, **more: Any) -> RewardTrial:
    """A function that gives these rewards to answers and to all else."""
    by_kind = {GOLD: gold, GARBAGE: garbage, "empty": garbage}
    values = tuple((row, kind, reward) for row in (0, 1) for kind, reward in by_kind.items())
    tried: dict[str, Any] = {"of_length": (), "of_repetition": (), "of_variety": ()}
    return replace(WELL.functions[0], **{"values": values, **tried, **more})


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


UNEXPECTED = raised(
    "TypeError",
    "score() got an unexpected keyword argument 'prompts'",
    frames=False,
    unexpected=("prompts", "completion_ids"),
)
MISSING = raised(
    "TypeError",
    "score() missing 1 required positional argument: 'answer'",
    frames=False,
    missing=("answer",),
)
NOT_NAMED = replace(MISSING, name="accuracy_reward", missing=("solution",))
NO_RETURN = raised("TypeError", "'NoneType' object is not iterable", frames=False)
STRINGS = raised("ValueError", "too many dimensions 'str'", frames=False)
CRASHED = returned(state="ended the process", status=-11)
KILLED = replace(CRASHED, status=-9)
NOT_CALLED = RewardTrial("mine.score", "not called")
NO_MATCH = raised(
    "AttributeError", "'NoneType' object has no attribute 'group'", on=("garbage", "empty")
)

SCORE = """\
def score(completions, answer, **kwargs):
    return [float(one == other) for one, other in zip(completions, answer)]
"""
RENAMED = SCORE + "rows = rows.rename_column('answer', 'gold')\n"
MADE = (
    SCORE + "rows = rows.map(lambda row: {'prompt': row['q']}, remove_columns=rows.column_names)\n"
)
KEPT = SCORE + "rows = rows.map(lambda row: {'prompt': row['q'], 'answer': row['a']})\n"
PERHAPS = SCORE + "if len(rows):\n    rows = rows.remove_columns('answer')\n"
GIVEN = "model='org/m', reward_funcs=score"
OTHER_NAME = {
    **candidate({**RUN, "dataset_name": "rows.jsonl"}, CONFIG, TOKENIZER),
    "rows.jsonl": '{"prompt": "Two?", "answer": "2"}\n',
    "mine.py": "def score(completions, answers):\n    return [1.0 for _ in answers]\n",
}
"""A function whose parameter has nearly the name of a column."""
