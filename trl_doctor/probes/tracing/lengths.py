"""From traces with short rows to what a step holds with long ones.

A model that computes token after token takes so many operations that its rows cannot be traced
whole. All that such a step holds grows evenly with the tokens of the prompt and of the completion.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..answers.fit import FitAnswer, Peak, Tensors
from .log import FORWARD, GENERATION
from .tracker import MOST, TooMany

Lengths = tuple[int, ...]
"""The tokens of a row, or those of a prompt and of a completion."""

Trace = Callable[[dict[str, Any]], FitAnswer]

NEW = ("max_completion_length", "response_length")
FIRST, LONGER = 64, 128
"""Multiples of 64, in which some models take their tokens."""


def from_short(request: dict[str, Any], stopped: TooMany, trace: Trace) -> FitAnswer:
    """The answer for rows of full length, of traces with short ones.

    `trace` answers a request in a folder of its own.
    """
    full = _full(request, stopped)
    points = [(FIRST,) * len(full)]
    points += [
        tuple(LONGER if axis == changed else FIRST for axis in range(len(full)))
        for changed in range(len(full))
    ]
    answers = [trace(_with(request, point)) for point in points]
    lengths = [_lengths(answer) for answer in answers]
    line = _Line(full, lengths)
    base = answers[0]
    calls = {
        phase: tuple((*shape[:-1], _long(phase, full)) for shape in shapes)
        for phase, shapes in base.calls.items()
    }
    return dataclasses.replace(
        base,
        peaks=tuple(line.peak(group) for group in _groups(answers)),
        held={part: line.at([answer.held[part] for answer in answers]) for part in base.held},
        flops={
            name: line.at([answer.flops.get(name, 0) for answer in answers]) for name in base.flops
        },
        calls=calls,
        arguments={**base.arguments, **_own(request, base)},
        shortened=_note(full, lengths),
    )


class _Line:
    """What grows evenly from the first point in every direction, at the full lengths."""

    def __init__(self, full: Lengths, points: Sequence[Lengths]) -> None:
        first = points[0]
        self.shares = [
            (full[axis] - first[axis]) / max(1, point[axis] - first[axis])
            for axis, point in enumerate(points[1:])
        ]

    def at(self, values: Sequence[int]) -> int:
        """A value at full length, from its values at the points."""
        first, *others = values
        grown = sum(share * (other - first) for share, other in zip(self.shares, others))
        return max(0, round(first + grown))

    def peak(self, peaks: Sequence[Peak]) -> Peak:
        """A peak at full length."""
        by_part = {part: self.at([peak.held[part] for peak in peaks]) for part in peaks[0].held}
        kinds = [
            {(tensor.part, tensor.at, len(tensor.shape)): tensor for tensor in peak.largest}
            for peak in peaks
        ]
        tensors = [
            self._tensor([kind[name] for kind in kinds])
            for name in kinds[0]
            if all(name in kind for kind in kinds)
        ]
        tensors.sort(key=lambda tensor: -tensor.bytes * tensor.count)
        return Peak(peaks[0].phase, peaks[0].without, by_part, tuple(tensors))

    def _tensor(self, same: Sequence[Tensors]) -> Tensors:
        shape = tuple(self.at(sizes) for sizes in zip(*(tensor.shape for tensor in same)))
        return dataclasses.replace(
            same[0],
            shape=shape,
            bytes=self.at([tensor.bytes for tensor in same]),
            count=self.at([tensor.count for tensor in same]),
        )


def _groups(answers: Sequence[FitAnswer]) -> list[list[Peak]]:
    """The peaks that every answer has, by phase and by what did not count."""
    by_phase = [{(peak.phase, peak.without): peak for peak in answer.peaks} for answer in answers]
    return [
        [peaks[name] for peaks in by_phase]
        for name in by_phase[0]
        if all(name in p for p in by_phase)
    ]


def _with(request: dict[str, Any], point: Lengths) -> dict[str, Any]:
    """The request with generated rows of these lengths."""
    prompt, new = point[0], point[-1]
    names = {"max_prompt_length": prompt, **dict.fromkeys(NEW, new)}
    if len(point) == 1:
        names = {"max_length": prompt}
    return {
        **request,
        "arguments": {**request["arguments"], **names},
        "data": {**request["data"], "files": [], "made": None},
        "most": MOST,
    }


def _full(request: dict[str, Any], stopped: TooMany) -> Lengths:
    """The lengths of the step that was stopped."""
    longest = {phase: max(shape[-1] for shape in shapes) for phase, shapes in stopped.calls.items()}
    if GENERATION in longest:
        return longest[GENERATION], stopped.new
    return (max(longest.values()),)


def _lengths(answer: FitAnswer) -> Lengths:
    """The lengths that a trace had in the end."""
    if GENERATION in answer.calls:
        prompt = answer.calls[GENERATION][0][-1]
        return prompt, answer.calls[FORWARD][0][-1] - prompt
    return (answer.calls[FORWARD][0][-1],)


def _long(phase: str, full: Lengths) -> int:
    return full[0] if phase == GENERATION else sum(full)


def _own(request: dict[str, Any], base: FitAnswer) -> dict[str, Any]:
    """The run's own lengths, where it says them."""
    arguments = request["arguments"]
    return {name: arguments[name] for name in base.arguments if name in arguments}


def _note(full: Lengths, lengths: Sequence[Lengths]) -> str:
    longest = " + ".join(map(str, full))
    short = ", ".join(" + ".join(map(str, length)) for length in lengths)
    return (
        "this model computes token after token: steps with short rows were traced "
        f"({short} tokens) and computed for {longest}"
    )
