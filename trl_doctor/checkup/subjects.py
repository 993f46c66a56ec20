"""One line for each subject: what is known about it, and the results of its checks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Literal

from msgspec import Struct

from trl_doctor.checkup import status_lines
from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import SEVERITIES
from trl_doctor.core.trainer import NOT_KNOWN
from trl_doctor.core.unavailable import Unavailable, without_key

SUBJECTS: dict[str, tuple[str, ...]] = {
    "files": ("file-",),
    "libraries": ("library-", "environment-", "package-"),
    "model": (
        "model-",
        "checkpoint-",
        "config-",
        "saved-",
        "reference-",
        "teacher-",
        "sync-ref-",
        "parameter-",
    ),
    "tokenizer": ("tokenizer-", "eos-", "processor-"),
    "chat template": ("chat-template-", "assistant-only-loss-", "generation-block-"),
    "arguments": (
        *("argument-", "trainer-", "trl-", "import-", "constructor-"),
        *("comment-", "metric-"),
    ),
    "batch": ("batch-", "eval-batch-", "kto-", "run-takes-"),
    "data": (
        *("data-", "streaming-", "evaluation-", "train-dataset-"),
        *("formatting-func-", "padding-free-", "packing-", "dpo-"),
    ),
    "adapter": ("adapter-",),
    "rewards": ("reward-",),
    "tools": ("tool-",),
    "generation": ("generation-",),
    "training step": (
        *("step-", "weights-", "run-does-"),
        *("training-", "schedule-", "rloo-", "grpo-", "dataloader-"),
    ),
    "ppo": ("ppo-",),
    "vllm": ("vllm-", "kv-"),
    "hardware": ("gpu-", "gpus-", "flash-attention-"),
    "script": ("script-", "processes-", "method-"),
    "launcher": ("launcher-", "accelerate-", "deepspeed-", "fsdp-", "zero3-"),
    "machine": ("output-dir-", "resume-", "login-", "port-", "shared-memory-", "cache-"),
}
"""The subjects in the order of the report, each with the beginnings of its rules' names."""

OF_ONE_TRAINER = ("ppo",)
"""Subjects of one trainer: they have no line where the trainer is not known."""

LONGEST = 82
"""Characters of a reason in a line; the report's end has the whole of it."""

Mark = Literal["bad", "warning", "good", "unknown"]


class Subject(Struct, frozen=True):
    """A line of the report."""

    name: str
    mark: Mark
    line: str


def subjects(checkup: Checkup) -> Iterator[Subject]:
    """The subjects that concern this run. Rules of other packages gather under their prefix."""
    groups: dict[str, list[Outcome]] = {name: [] for name in SUBJECTS}
    for outcome in checkup.outcomes:
        groups.setdefault(subject_of(outcome.rule.name), []).append(outcome)
    reason_unasked = _why_not_asked(checkup)
    for name, outcomes in groups.items():
        if name in OF_ONE_TRAINER and isinstance(checkup.run.trainer, Unavailable):
            continue
        concerned = [outcome for outcome in outcomes if outcome.state != "not concerned"]
        if any(outcome.reason != reason_unasked or outcome.findings for outcome in concerned):
            yield Subject(name, _mark(concerned), _line(name, checkup, concerned))


def _why_not_asked(checkup: Checkup) -> str | None:
    """Why the real libraries were not used, which the report's head says once for all."""
    try:
        checkup.facts.probes.conditions  # noqa: B018
    except Unavailable as reason:
        return str(reason)
    return None


@cache  # `lru_cache` would keep fewer than there are rules
def subject_of(rule: str) -> str:
    """The subject that a rule's checks belong to: the beginning of its name says it."""
    for name, beginnings in SUBJECTS.items():
        if rule.startswith(beginnings):
            return name
    return rule.partition("-")[0]


def _mark(outcomes: list[Outcome]) -> Mark:
    severities = {outcome.severity(finding) for outcome in outcomes for finding in outcome.findings}
    if "error" in severities or any(outcome.state == "crashed" for outcome in outcomes):
        return "bad"
    if severities:
        return "warning"
    return "good" if any(outcome.state == "clear" for outcome in outcomes) else "unknown"


def _line(name: str, checkup: Checkup, outcomes: list[Outcome]) -> str:
    """What is known, what was found; the number of checks only if nothing else is to say."""
    skipped = [outcome for outcome in outcomes if outcome.state == "skipped"]
    parts = [status_lines.line(name, checkup.facts), _findings(checkup, outcomes)]
    if len(skipped) == len(outcomes):
        reason = without_key(skipped[0].reason.partition(";")[0])
        if NOT_KNOWN in reason:
            reason = NOT_KNOWN  # the verdict says what would tell it
        parts.append(textwrap.shorten(f"not examined: {reason}", LONGEST, placeholder=" …"))
    if not any(parts):
        parts.append(counted(len(outcomes) - len(skipped), len(skipped)))
    return " · ".join(part for part in parts if part)


def counted(clear: int, skipped: int) -> str:
    """How many checks of a subject are clear; and how many did not run, if these are more."""
    rest = f", {skipped} did not run" if skipped > clear else ""
    return f"{clear} {'check' if clear == 1 else 'checks'} clear{rest}"


def _findings(checkup: Checkup, outcomes: list[Outcome]) -> str:
    """How many findings are reported by themselves, and which rules found the causes of the
    others.
    """
    identities = set(map(id, outcomes))
    entries = [entry for entry in checkup.reported if id(entry.outcome) in identities]
    severities = [entry.severity for entry in entries if entry.cause is None]
    counts = {name: severities.count(name) for name in SEVERITIES}
    parts = [f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts.items() if n]
    causes = [entry.cause for entry in entries if entry.cause and entry.cause not in entries]
    names = dict.fromkeys(cause.outcome.rule.name for cause in causes)
    parts += [f"see {', '.join(names)}"] if names else []
    crashed = sum(outcome.state == "crashed" for outcome in outcomes)
    return ", ".join(parts + ([f"{crashed} crashed"] if crashed else []))
