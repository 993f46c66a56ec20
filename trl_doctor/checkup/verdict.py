"""The verdict on a target: passed, failed, or incomplete with the parts that were not examined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from trl_doctor.checkup.outcome import UNREACHED
from trl_doctor.core.finding import Severity
from trl_doctor.core.question import Answer
from trl_doctor.core.trainer import NOT_KNOWN
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.partly import Partly

if TYPE_CHECKING:
    from trl_doctor.checkup.checkup import Checkup

Word: TypeAlias = Literal["passed", "failed", "incomplete"]

BESIDE = ("reference", "reward", "value", "teacher")
"""The models of a run beside the policy."""

STEP = "step"
"""The probe that takes one training step."""


class Verdict(Struct, frozen=True):
    """`lacking` says what was not examined, and what would complete it, a sentence each.

    A target that failed can lack something, too. `crashed` says that a check failed by itself.
    """

    word: Word
    lacking: tuple[str, ...] = ()
    crashed: bool = False


def verdict(checkup: Checkup, fail_on: Severity) -> Verdict:
    """Failed where there is a finding of this severity or worse; passed only if nothing lacks."""
    lacking = tuple(dict.fromkeys(_lacking(checkup)))
    crashed = bool(checkup.outcomes_in("crashed"))
    if checkup.at_least(fail_on):
        return Verdict("failed", lacking, crashed)
    return Verdict("incomplete" if lacking else "passed", lacking, crashed)


def _lacking(checkup: Checkup) -> Iterator[str]:
    run = checkup.run
    for outcome in checkup.outcomes_in("crashed"):
        yield f"{outcome.rule.name} crashed: {outcome.reason}"
    if checkup.unread:
        yield f"nothing of the run could be examined: {checkup.unread}"
        return
    if not checkup.outcomes_in("clear", "found", "ignored"):
        yield "nothing was examined"
    reasons = {outcome.reason for outcome in checkup.outcomes_in("skipped", "found")}
    yield from sorted(reason for reason in reasons if reason.startswith(UNREACHED))
    for answer in checkup.answers:
        if answer.question.probe == STEP:
            yield from _unjudged(checkup, answer, reasons)
    if run.left:
        checks = ", ".join(run.left[:8]) + (", …" if len(run.left) > 8 else "")
        yield f"what {run.program} alone understands was not examined: {checks}"
    parts: dict[str, list[str]] = {}
    for part, reason in _essential(checkup):
        if any(text.endswith(str(reason)) for text in reasons):  # it may have a name before it
            parts.setdefault(str(reason), []).append(part)
    if rest := _of_no_argument(run.arguments):
        parts.setdefault(rest, []).append("the arguments")
    for label, missing in parts.items():
        yield f"{' and '.join(missing)} could not be examined: {label}"


def _of_no_argument(arguments: Mapping[str, Any]) -> str:
    """Why no argument of the trainer's config is known; "" if one is, or if there is none."""
    if not isinstance(arguments, Partly) or arguments.rest is None:
        return ""
    known = set(arguments) - arguments.complete
    return "" if known else str(arguments.rest).replace("may set it: give it", "sets them: give it")


def _unjudged(checkup: Checkup, answer: Answer[Any], reasons: set[str]) -> Iterator[str]:
    """What is not known where the training step did not end."""
    if NOT_KNOWN in answer.reason:
        return  # said of all that depends on the trainer
    if answer.state not in ("answered", "raised"):
        yield f"no step could be tried: {answer.reason}"
    elif answer.state == "raised" and not _has_error(checkup, answer):
        label = f"{answer.question.label}: "
        why = [
            reason for reason in reasons if reason.startswith(label) and answer.reason not in reason
        ]
        first = min(why).removeprefix(label) if why else answer.reason
        yield f"the training step raised an error, which is not judged: {first}"


def _has_error(checkup: Checkup, answer: Answer[Any]) -> bool:
    """Whether an error is found, or one that explains what the step raised is ignored."""
    if checkup.at_least("error"):
        return True
    return any(
        finding.finding.error
        or (outcome.rule.explains and re.search(outcome.rule.explains, answer.reason))
        for outcome in checkup.outcomes
        for finding in outcome.ignored
    )


def _essential(checkup: Checkup) -> Iterator[tuple[str, Unavailable]]:
    """What a run file must show before it can pass, if it does not."""
    run = checkup.run
    if isinstance(run.trainer, Unavailable):
        yield "what depends on the trainer", run.trainer
    if isinstance(run.policy, Unavailable):
        yield "the policy model", run.policy
    elif isinstance(tokenizer := run.folder_of("tokenizer"), Unavailable):
        yield "the tokenizer", tokenizer
    for role, model in run.models.items():
        if role in BESIDE and isinstance(model.folder, Unavailable):
            yield f"the {role} model", model.folder
    if run.file is None:
        return
    try:
        checkup.facts[known_to_trl]
    except Unavailable as reason:
        if reason is not run.trainer:
            yield "the arguments", reason
