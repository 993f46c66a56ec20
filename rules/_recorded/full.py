"""Answers of the probe that takes steps at full size, for the examples of the rules about it."""

from dataclasses import replace

from trl_doctor.core.question import Answer
from trl_doctor.core.sizes import GIB
from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.full import FullAnswer

from .candidate import CONFIG, RUN, TOKENIZER, candidate
from .libraries import IMPORTS
from .runs import recorded

TRAINED = candidate(RUN, TOKENIZER, CONFIG)
ON_CPU = recorded("grpo", "full", FullAnswer)


def steps(peak: int, memory: tuple[int, ...] = ()) -> FullAnswer:
    """Three steps on a GPU that held this many bytes at most, and these after each step."""
    weights = 2 * GIB
    return replace(
        ON_CPU,
        parts={"weights": weights, "gradients": weights, "optimizer": 2 * weights},
        peak=peak,
        reserved=peak,
        total=24 * GIB,
        device="GPU of 24 GiB",
        seconds_by_step=(9.0, 5.0, 5.0),
        held_after_steps=memory,
    )


def answers(full: FullAnswer | Answer[FullAnswer]) -> Answers:
    """What the probes answered."""
    return {**IMPORTS, "full": full}
