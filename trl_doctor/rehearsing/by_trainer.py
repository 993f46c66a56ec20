"""The trainers of one script: the events of each, as if it had been the only one."""

from __future__ import annotations

import dataclasses
from math import inf

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.question import Answer
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.record import MOST_TRAINERS
from trl_doctor.rehearsing.ending.judges import line
from trl_doctor.rehearsing.events import Event, Events

FROM_ALL = ("model", "loaded", "data")
"""Events that are about later trainers, too, where a trainer has caused them."""

NEAREST = {"loaded": "origin", "tokenizer": "edit", "adapter": "kind", "resized": "kind"}
"""Events of which those nearest to a trainer are about it, and what tells them apart."""

FOR_THE_NEXT = ("mixed rows", "padded prompts")
"""Mistakes that are about the next trainer only."""


class BuiltTrainer(Struct, frozen=True):
    """A trainer in one process: when it was built, when it was last heard of, and its config."""

    process: int
    rank: int
    begun: float
    heard: float
    trained: float
    config: int | None
    tokenizer: int | None


class Split(Struct, frozen=True):
    """The events of a command by its trainers; `by_key` has their order by process and number.

    `by_rank` are the trainers of each process that trains. The command ended with the trainer
    `closing`, None if nothing went wrong; one more than there are, if that one was not built yet.
    """

    events: Events
    by_key: dict[tuple[int, int], int]
    by_rank: dict[int, list[BuiltTrainer]]
    closing: int | None

    @property
    def count(self) -> int:
        """How many trainers there are."""
        return max(map(len, self.by_rank.values()), default=0)

    def own(self, event: Event) -> int | None:
        """The trainer that was at work; None if none was."""
        return self.by_key.get((event.get("process", 0), event.get("of", 0)))

    def stage(self, event: Event, number: int) -> BuiltTrainer | None:
        """A trainer as the process of an event has it; None where it has it not."""
        stages = self.by_rank.get(event["rank"], ())
        return stages[number] if number < len(stages) else None

    def part(self, number: int) -> Events:
        """The events of one trainer."""
        chosen = [event for event in self.events.events if self._is_about(event, number)]
        chosen = [event for event in chosen if not self._has_nearer(event, chosen, number)]
        answer = self.events.answer
        if number != self.closing:
            answer = _ended_well(answer)
        return replace(self.events, events=tuple(chosen), answer=answer, number=number)

    def _is_about(self, event: Event, number: int) -> bool:
        """Whether an event is about a trainer: its own, or one outside of any that came before."""
        own, kind = self.own(event), event["kind"]
        if own is not None and kind not in FROM_ALL:
            return own == number
        stage = self.stage(event, number)
        if kind == "kept":
            return stage is not None and event["time"] > stage.trained
        if kind == "failed":
            return number == self.closing
        if stage is None:  # it was not built: what was not for those before it
            return kind != "config" or not self._is_linked(event)
        if event["process"] == stage.process:
            if kind == "config":
                return bool(event["number"] == stage.config)
            if event.get("config") not in (None, stage.config):
                return False
            if kind == "tokenizer" and event.get("object") not in (None, stage.tokenizer):
                return False
        if event.get("what") in FOR_THE_NEXT and number:
            before = self.stage(event, number - 1)
            if before is not None and event["time"] <= before.heard:
                return False
        own_process = self.closing != self.count or event["process"] == stage.process
        last = number == self.count - 1 and own_process  # else the next command may have begun
        return last or bool(event["time"] <= stage.heard)

    def _is_linked(self, event: Event) -> bool:
        """Whether a config is one of a trainer that was built."""
        key = (event["process"], event["number"])
        stages = self.by_rank.get(event["rank"], ())
        return any((stage.process, stage.config) == key for stage in stages)

    def _has_nearer(self, event: Event, chosen: list[Event], number: int) -> bool:
        """Whether another event, after the trainer before this one was built, says the same."""
        name = NEAREST.get(event["kind"])
        if name is None or not number or self._is_near(event, number):
            return False
        return any(
            other["kind"] == event["kind"] and other[name] == event[name]
            and other["rank"] == event["rank"] and self._is_near(other, number)
            for other in chosen
        )  # fmt: skip

    def _is_near(self, event: Event, number: int) -> bool:
        """Whether it happened in a trainer, or after the one before it was built."""
        own, before = self.own(event), self.stage(event, number - 1)
        if own is not None:
            return own == number
        return before is None or bool(event["time"] > before.begun)


def parts(events: Events) -> tuple[Events, ...]:
    """The events of each trainer that was trained, or with which the command ended.

    What happens outside of any trainer belongs to every trainer that comes later.
    """
    split = _split(events)
    numbers = range(max(split.count, (split.closing or 0) + 1))
    if len(numbers) < 2:
        return (events,)
    every = [split.part(number) for number in numbers]
    trained = [part for part in every if part.of("training") or part.number == split.closing]
    return tuple(trained or every[-1:])


def examined(every: tuple[Events, ...]) -> tuple[Events, ...]:
    """The first trainers, as many as are examined, and the one with which the command ended."""
    if len(every) <= MOST_TRAINERS:
        return every
    last = every[-1:] if every[-1].reached != "end" else ()
    return (*every[: MOST_TRAINERS - len(last)], *last)


def label(part: Events) -> str:
    """A trainer and the line that creates it; its config if it was not created."""
    event = part.last("trainer") or part.last("config")
    at = part.at(event["at"]) if event else None
    name = str(event["name"]) if event else "no trainer"
    return f"{name} at {at.shown}" if at else name


def caught(part: Events) -> str:
    """The error of a training that the script has caught; "" if the training came to its end."""
    step, failed = part.last("step"), part.last("failed")
    return line(failed) if step and failed and not step["done"] else ""


def _split(events: Events) -> Split:
    by_key: dict[tuple[int, int], int] = {}
    by_rank: dict[int, list[BuiltTrainer]] = {}
    for event in events.of("trainer"):
        stages = by_rank.setdefault(event["rank"], [])
        process, of = event.get("process", 0), event.get("of", 0)
        by_key[process, of] = len(stages)
        own = [other for other in events.events
               if (other.get("process", 0), other.get("of", 0)) == (process, of)]  # fmt: skip
        trained = (other["time"] for other in own if other["kind"] == "training")
        stages.append(BuiltTrainer(process, event["rank"], event["time"], own[-1]["time"],
                            min(trained, default=inf), event.get("config"),
                            event.get("tokenizer_object")))  # fmt: skip
    split = Split(events, by_key, by_rank, None)
    return replace(split, closing=_closing(split))


def _closing(split: Split) -> int | None:
    """The trainer with which the command ended; None if it ended well."""
    events = split.events
    if events.status == 0 and events.answer.state == "answered":
        return None
    failure = events.failure
    own = split.own(failure) if failure else None
    if own is not None:
        return own
    least = min(split.by_rank, default=0)
    last = max((stage.begun for stage in split.by_rank.get(least, ())), default=0.0)
    begun = any(event["rank"] == least and event["time"] > last and not split._is_linked(event)
                for event in events.of("config"))  # fmt: skip
    return split.count if begun else split.count - 1


def _ended_well(answer: Answer[RehearseAnswer]) -> Answer[RehearseAnswer]:
    """The answer of a command that went on after a trainer."""
    value = answer.value or RehearseAnswer(0, False, 1, "", ())
    well = dataclasses.replace(value, status=0, timed_out=False)
    return replace(answer, state="answered", reason="", value=well, tail=())
