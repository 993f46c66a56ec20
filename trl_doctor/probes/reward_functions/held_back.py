"""Trials of functions that a probe keeps from their work: it may do less than the run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ..alone import place as reward_place
from ..answers.rewards import RewardError, RewardTrial
from ..child import error_answer
from .script_parts import of_what_is_left_out

PROBES = str(Path(__file__).parents[1])


def held(about: RewardTrial) -> RewardTrial:
    """That of a function which asks for the network, also where it catches the refusal."""
    return dataclasses.replace(about, state="held back", reason=reward_place.reached[-1])


def held_by(error: BaseException, about: RewardTrial) -> RewardTrial | None:
    """The trial of a function that raises only because a probe may do less, or has less of it."""
    if reward_place.held(error):
        return dataclasses.replace(about, state="held back", error=error_of(error))
    if of_what_is_left_out(error):
        reason = f"it was called without the rest of the script: {error}"
        return dataclasses.replace(about, state="held back", reason=reason)
    return None


def error_of(error: BaseException) -> RewardError:
    """The error, with the module that it lacks, and without the probe's own calls."""
    about = error_answer(error)
    frames = tuple(frame for frame in about.frames if not frame[0].startswith((PROBES, "<frozen")))
    is_import = isinstance(error, ImportError)
    return RewardError(
        **vars(dataclasses.replace(about, frames=frames)),
        lacks=getattr(error, "name", None) if is_import else None,
        on_import=is_import,
    )
