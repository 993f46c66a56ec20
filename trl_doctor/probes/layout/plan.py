"""Everything that the step's script is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .habits import Habits


@dataclass(frozen=True)
class Plan:
    """One step: which trainer, with which arguments, and which of its models there are.

    `parameters` are those of the trainer's constructor. `rewards` are source expressions, with
    the `imports` that they need; `options` go to every `from_pretrained`, `adapter` to
    ModelConfig. `step_rows` is how many of the rows, the shortest, are trained on; 0 is all.
    `pictures` are the columns with images, and whether of lists of them. `loader` and `processing`
    are the classes with which a script loads the policy and its tokenizer; empty if TRL does.
    With `evaluates` the trainer gets the first rows for an evaluation, with `resumes` a second
    trainer can go on from a checkpoint. `own` says that a script gives code of its own,
    `task_open` that it names no task for its adapter.
    """

    trainer: str
    class_name: str
    config: str
    module: str
    parameters: frozenset[str]
    arguments: dict[str, Any]
    habits: Habits
    options: dict[str, str]
    adapter: dict[str, Any]
    models: frozenset[str]
    own_tokenizer: bool
    conversational: bool
    step_rows: int
    seed: int
    trusted: bool = False
    roots: tuple[str, ...] = ()
    rewards: tuple[str, ...] = ()
    imports: tuple[str, ...] = field(default=())
    pictures: Mapping[str, bool] = field(default_factory=dict)
    loader: str = ""
    processing: str = ""
    evaluates: bool = False
    resumes: bool = False
    own: bool = False
    task_open: bool = False
