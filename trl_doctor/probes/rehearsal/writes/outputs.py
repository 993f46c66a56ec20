"""Where a trainer saves, so that a later stage of the script finds it by the name that it gives."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from ...members import word
from ..order import Order
from ..record import rank
from .away import elsewhere

USED = re.compile(r"checkpoint-|get_last_checkpoint|best_model_checkpoint")
"""What a script says that goes on with what its trainer has saved while it trained."""

NAMED = re.compile(r"\bcheckpoint-\d+")
NUMBERED = re.compile(r"\bcheckpoint-[{*?]|\bcheckpoint-[\"']")
"""What a script says that makes the name of a checkpoint from a number, or looks for them all."""

MOST = 64
"""Checkpoints of a job that are there, at most: the last ones."""


def folder(given: Any, order: Order) -> str:
    """The script's own folder in its copy, or what replaces it; another where that is not empty."""
    other = str(order.scratch / "output")
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        return other
    real, copied = os.path.realpath(os.fspath(given)), is_scratch(given, order)
    own = order.users(Path(real))
    if own.is_dir() and any(own.iterdir()):
        return other
    return os.fspath(given) if copied else str(elsewhere(real, order))


def is_scratch(path: Any, order: Order) -> bool:
    """Whether it is in the scratch folder, as the copy of the script's folder is."""
    return os.path.realpath(str(path)).startswith(str(order.scratch) + os.sep)


def checkpoint(trainer: Any, keywords: dict[str, Any]) -> None:
    """What the trainer would have saved by now, where the script goes on with it."""
    script_folder = _named_by_script()
    if script_folder is None or word(keywords.get("save_strategy", "steps")) == "no":
        return
    own = Path(trainer.args.output_dir)
    folder = own / f"checkpoint-{trainer.state.global_step}"
    trainer.save_model(str(folder))
    if rank():
        return
    trainer.state.save_to_json(str(folder / "trainer_state.json"))
    for name in (script_folder | _numbered(keywords)) - {folder.name}:
        if not (own / name).exists():  # an earlier trainer of the script may have made it
            (own / name).symlink_to(folder.name)
    if keywords.get("load_best_model_at_end"):
        trainer.state.best_model_checkpoint = str(folder)


def _numbered(keywords: dict[str, Any]) -> set[str]:
    """The checkpoints that the job has, where the script makes their names from numbers."""
    every, steps = (keywords.get(name, usual) for name, usual in (("save_steps", 500),
                                                                  ("max_steps", -1)))  # fmt: skip
    if not (isinstance(every, int) and isinstance(steps, int)) or min(every, steps) < 1:
        return set()
    if word(keywords.get("save_strategy", "steps")) != "steps":
        return set()
    if not NUMBERED.search(_script() or ""):
        return set()
    kept = keywords.get("save_total_limit") or MOST
    numbers = sorted({*range(every, steps + 1, every), steps})
    return {f"checkpoint-{number}" for number in numbers[-min(kept, MOST) :]}


def _named_by_script() -> set[str] | None:
    """The checkpoints that the script names; None if it uses none."""
    text = _script()
    return set(NAMED.findall(text)) if text and USED.search(text) else None


def _script() -> str | None:
    """The text of the script; None if it cannot be read."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        return Path(str(file)).read_text("utf-8", "replace")
    except OSError:
        return None
