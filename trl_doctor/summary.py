"""One line a subject: what is known about it, and how its checks ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from trl_doctor import vitals
from trl_doctor.checkup import Checkup, Outcome

SUBJECTS: dict[str, tuple[str, ...]] = {
    "files": ("file-",),
    "model": ("model-", "checkpoint-"),
    "tokenizer": ("tokenizer-", "eos-"),
    "chat template": ("chat-template-",),
    "arguments": ("argument-", "trainer-"),
    "batch": ("batch-", "eval-batch-"),
    "ppo": ("ppo-",),
    "vllm": ("vllm-",),
    "hardware": ("gpu-",),
}
"""The subjects in the order of the report, each with the beginnings of its rules' names."""

Mark = Literal["bad", "warning", "good", "unknown"]


@dataclass(frozen=True)
class Subject:
    """A line of the report."""

    name: str
    mark: Mark
    line: str


def subjects(checkup: Checkup) -> Iterator[Subject]:
    """The subjects that concern this run. Rules of other packages gather under their prefix."""
    groups: dict[str, list[Outcome]] = {name: [] for name in SUBJECTS}
    for outcome in checkup.outcomes:
        groups.setdefault(_subject(outcome.rule.name), []).append(outcome)
    for name, outcomes in groups.items():
        concerned = [one for one in outcomes if one.state != "not concerned"]
        if concerned:
            yield Subject(name, _mark(concerned), _line(name, checkup, concerned))


def _subject(rule: str) -> str:
    for name, beginnings in SUBJECTS.items():
        if rule.startswith(beginnings):
            return name
    return rule.partition("-")[0]


def _mark(outcomes: list[Outcome]) -> Mark:
    severities = {outcome.severity(one) for outcome in outcomes for one in outcome.findings}
    if "error" in severities or any(one.state == "crashed" for one in outcomes):
        return "bad"
    if severities:
        return "warning"
    return "good" if any(one.state == "clear" for one in outcomes) else "unknown"


def _line(name: str, checkup: Checkup, outcomes: list[Outcome]) -> str:
    known = vitals.line(name, checkup.facts)
    clear = sum(one.state == "clear" for one in outcomes)
    skipped = [one for one in outcomes if one.state == "skipped"]
    if len(skipped) == len(outcomes):
        return f"not examined: {skipped[0].reason}" if not known else f"{known}; not examined"
    counted = f"{clear} of {len(outcomes)} checks clear"
    return f"{known} · {counted}" if known else counted
