"""Answers the rules' questions with what a rehearsal has measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from msgspec import Struct, structs

from trl_doctor.asking.oracle import Conditions, Oracle
from trl_doctor.core.question import Answer, Question, Raised, converted
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.probes.answers.config import ConfigAnswer
from trl_doctor.probes.answers.error import Error
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.rewards import RewardError, RewardsAnswer, RewardTrial
from trl_doctor.probes.answers.step import StepAnswer
from trl_doctor.rehearsing.answer import answer
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.run_file import models_of

PASSED_ON = ("healthy_step", "libraries")
"""Questions that a rehearsal does not answer by itself: whether the installation is at fault."""

IMPORTING = ("ImportError", "ModuleNotFoundError")
"""Errors of an import, which the line of the script names that imports."""

MOST_LINES = 4
"""The most lines of an error that are reported: in some the first only announces the others."""

T = TypeVar("T")


class RehearsalOracle(Struct, frozen=True):
    """`other` answers whether the installation or the candidate is broken."""

    events: Events
    failure: Failure | None
    other: Oracle

    @property
    def conditions(self) -> Conditions:
        """Those of a rehearsal."""
        return structs.replace(self.other.conditions, level="rehearsal", device="cpu")

    def ask(self, question: Question[T]) -> Answer[T]:
        """The answer; raises `Unavailable` if the rehearsal does not know it."""
        if question.probe == "step" and (event := self._failed("construct", "train")):
            raised = _raised(event)
            return Answer(question, "raised", reason=raised.line, raised=raised)
        answers: dict[str, Callable[[], object]] = {
            "step": self._step,
            "config": self._config,
            "rewards": self._rewards,
            "rehearsal": lambda: answer(self.events, self.failure),
        }
        if question.probe in answers:
            return Answer(question, "answered", cast(T, answers[question.probe]()))
        if question.probe == "libraries" and self.events.of("config", "trainer"):
            return Answer(question, "answered", cast(T, LibrariesAnswer({})))
        if question.probe == "libraries" and self._ended_by_itself():
            why = self.failure.message if self.failure else "it ended"
            raise Unavailable(f"the script stopped before it used all libraries: {why}")
        if question.probe in PASSED_ON:
            return self.other.ask(question)
        raise Unavailable("a rehearsal does not examine this: `trl-doctor check` does")

    def finish(self) -> None:
        """Wait for the other."""
        self.other.finish()

    def __enter__(self) -> RehearsalOracle:
        return self

    def __exit__(self, *why: object) -> None:
        """The other is another's to end."""

    def _step(self) -> StepAnswer:
        step = self.events.last("step")
        if not step:
            why = self.failure.message if self.failure else "there was no training"
            raise Unavailable(f"the rehearsal took no step: {why}")
        if not step["done"]:
            raise Unavailable("the rehearsal did not finish its steps")
        built = self.events.last("trainer") or {}
        has_made_rows = any(event["origin"] == "made" for event in self.events.of("data"))
        loaded = next(iter(self.events.of("model")), {})
        model = models_of(self.events, built or None).get("policy", loaded)
        sizes = {name: model.get(name, 0) for name in ("layers", "hidden", "parameters",
                                                       "vocabulary")}  # fmt: skip
        values: dict[str, Any] = {
            **step,
            **sizes,
            "architecture": model.get("architecture", ""),
            "conversational": bool(built.get("conversational")),
            "rows_from": "made" if has_made_rows else "the script",
            "rows": 0, "rows_why": "", "script_pads": "never", "script_found": False,
            "turn_end_probability": None, "changed": {}, "rewards": [], "rewards_left_out": {},
            "adapter": bool(built.get("adapter")), "not_evaluated": self.events.not_evaluated,
            "seconds": {"models": 0.0, "build": 0.0, "step": 0.0},
        }  # fmt: skip
        names = {field.name for field in fields(StepAnswer)}
        return converted({k: v for k, v in values.items() if k in names}, StepAnswer)

    def _config(self) -> ConfigAnswer:
        built = self.events.last("config")
        if built is None:
            raise Unavailable("the script created no trainer arguments")
        event = self._failed("config")
        error = Error(event["type"], event["message"]) if event else None
        return ConfigAnswer(built["name"], error, "config")

    def _rewards(self) -> RewardsAnswer:
        functions = tuple(self._functions())
        if not functions:
            raise Unavailable("the rehearsal called no reward function")
        raises = any(function.state == "raised" for function in functions)
        if raises and self.failure is not None and self.failure.whose == "machine":
            raise Unavailable(self.failure.message)
        if raises:  # it did so on rows of the run; what others gave was for no known answers
            functions = tuple(replace(function, values=()) for function in functions)
        refused = self._failed("train") is not None
        if not raises and not refused and (report := self.events.rewards_tried):
            return self._tried(functions, report)
        return RewardsAnswer(functions, None, int(raises), None, (), (), refused, True, True)

    def _tried(self, called: tuple[RewardTrial, ...], report: Mapping[str, Any]) -> RewardsAnswer:
        """The same functions, tried on right answers; one that could not be tried, without values:
        the small model's completions were no known answers."""
        trials = report["functions"]
        functions = tuple(
            _again(converted(trials[str(index)], RewardTrial), trial)
            if str(index) in trials
            else replace(trial, values=())
            for index, trial in zip(self._calls(), called, strict=True)
        )
        about = {**report, "functions": (), "trainer_gets": None}
        return replace(converted(about, RewardsAnswer), functions=functions)

    def _functions(self) -> Iterator[RewardTrial]:
        for call in self._calls().values():
            yield _reward(call, self.events)

    def _calls(self) -> dict[int, Event]:
        """The first call of each function by its index, a failed one first."""
        calls: dict[int, Event] = {}
        for event in self.events.of("reward"):
            if event["rank"] == 0 and (event["index"] not in calls or event["state"] == "raised"):
                calls[event["index"]] = event
        return dict(sorted(calls.items()))

    def _ended_by_itself(self) -> bool:
        """Whether the script's own code ended it: no import of a library can be the cause."""
        event = self.events.failure
        if event is None:
            ended = self.failure is not None and not self.events.timed_out
            return ended and self.events.status in (0, 2)
        own = self.events.own_line(event["frames"][-1:])
        return own is not None and event["type"] not in IMPORTING

    def _failed(self, *stages: str) -> Event | None:
        """The failure that ended it, where that was in one of these stages and is the run's."""
        event = self.events.failure
        ours = self.failure is not None and self.failure.whose == "candidate"
        return event if event and ours and event["stage"] in stages else None


def _raised(event: Event) -> Raised:
    lines = [line.strip() for line in str(event["message"]).strip().splitlines()]
    message = " ".join(lines[:MOST_LINES])
    return Raised(event["type"], message, _frames(event), seen=tuple(event["seen"]))


def _frames(event: Event) -> tuple[tuple[str, int, str, str], ...]:
    return tuple((str(a), int(b), str(c), str(d)) for a, b, c, d in event["frames"])


def _again(tried: RewardTrial, called: RewardTrial) -> RewardTrial:
    """A trial after the step, at the place of the function that the step has called."""
    frames = tried.error.frames if tried.error else ()
    own = next((frame for frame in reversed(frames) if frame[0] == tried.file), None)
    return replace(tried, file=called.file, line=called.line, at=own)


def _reward(call: Event, events: Events) -> RewardTrial:
    """A call of a reward function, in the form of the answer of the probe `rewards`."""
    at = events.at([call["file"], call["line"] or 0]) if call["file"] else None
    file, line = (str(at.file), at.line) if at and not at.notebook else ("", 0)
    trial = RewardTrial(call["name"], call["state"], file, line, True,
                        expected=call["expected"])  # fmt: skip
    if call["state"] == "raised":
        frames = tuple((str(events.original(path)), row, name, source)
                       for path, row, name, source in _frames(call))  # fmt: skip
        own = next((frame for frame in reversed(frames) if frame[0] == file), None)
        error = RewardError(call["type"], call["message"], frames=frames)
        return replace(trial, error=error, at=own, unexpected=tuple(call.get("unexpected", ())),
                       missing=tuple(call.get("missing", ())))  # fmt: skip
    rewards = [*call["values"], *map(float, call.get("odd", ()))]
    values = tuple((0, "completion", float(reward)) for reward in rewards)
    return replace(trial, returned=call["returned"], none=call["none"], seconds=call["seconds"],
                   values=values)  # fmt: skip
