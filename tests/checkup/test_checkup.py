"""Every rule runs once, and nothing that a rule does stops the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import State
from trl_doctor.checkup.verdict import verdict
from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.question import State as Answered
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Check, Rule
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.testing import laid_out

WORLD = environment(None, installed=False)
STEPPED = Question("step", "one training step", {}, dict)


def examined(*checks: Check, severity: Severity = "error") -> Checkup:
    rules = [
        Rule("A title.", severity, check, (), f"rule-{number}")
        for number, check in enumerate(checks)
    ]
    with laid_out({"run.json": {"trainer": "grpo"}}) as folder:
        run = open_run(target(str(folder / "run.json")), WORLD, Options())
        return examine(run, WORLD, rules)


def says(facts: Facts, message: str = "no", severity: Severity | None = None) -> Finding:
    return Finding(facts.run.place(), message, severity=severity)


def clear(facts: Facts) -> tuple[()]:
    return ()


def found(facts: Facts) -> list[Finding]:
    return [says(facts)]


def in_part(facts: Facts) -> Iterator[Finding]:
    yield says(facts)
    raise Unavailable("the rest is hidden")


def skipped(facts: Facts) -> Iterator[Finding]:
    raise Unavailable("there is no config.json")
    yield says(facts)


def unjudged(facts: Facts) -> Iterator[Finding]:
    raise Unavailable("one training step: own code")
    yield says(facts)


def elsewhere(facts: Facts) -> Iterator[Finding]:
    raise NotConcerned("it is about PPO")
    yield says(facts)


def crashed(facts: Facts) -> Iterator[Finding]:
    yield says(facts)
    raise KeyError("lost" * 1000)


def ends(facts: Facts) -> Iterator[Finding]:
    raise SystemExit(0)
    yield says(facts)


def endless(facts: Facts) -> Iterator[Finding]:
    return endless(facts)


def nothing(facts: Facts) -> None:
    return None


def texts(facts: Facts) -> list[str]:
    return ["text"]


OUTCOMES: list[tuple[Check, State, int, str]] = [
    (clear, "clear", 0, ""),
    (found, "found", 1, ""),
    (in_part, "found", 1, "the rest is hidden"),
    (skipped, "skipped", 0, "there is no config.json"),
    (elsewhere, "not concerned", 0, "it is about PPO"),
    (crashed, "crashed", 1, "KeyError: 'lostlost"),
    (ends, "crashed", 0, "SystemExit: 0 (test_checkup.py:"),
    (endless, "crashed", 0, "RecursionError: maximum recursion depth exceeded"),
    (nothing, "crashed", 0, "TypeError: 'NoneType' object is not iterable (checkup.py:"),  # type: ignore[list-item]
    (texts, "crashed", 0, "TypeError: the rule gives str, not Finding"),  # type: ignore[list-item]
]


def test_each_rule_has_an_outcome_whatever_the_others_do() -> None:
    checkup = examined(*(check for check, *_ in OUTCOMES))
    for outcome, (_, state, findings, reason) in zip(checkup.outcomes, OUTCOMES, strict=True):
        assert (outcome.state, len(outcome.findings)) == (state, findings)
        assert outcome.reason.startswith(reason)
        assert bool(outcome.reason) == bool(reason)
        assert len(outcome.reason) < 600
    assert len(checkup.outcomes_in("crashed", "skipped")) == 6


def test_a_user_may_interrupt() -> None:
    def interrupted(facts: Facts) -> Iterator[Finding]:
        raise KeyboardInterrupt
        yield says(facts)

    with pytest.raises(KeyboardInterrupt):
        examined(interrupted)


def test_findings_come_worst_first_and_are_counted_by_severity() -> None:
    def mixed(facts: Facts) -> Iterator[Finding]:
        yield says(facts, "milder", "note")
        yield says(facts, "as the rule says")
        yield says(facts, "in between", "warning")

    checkup = examined(mixed, found)
    assert [finding.message for _, finding in checkup.findings] == [
        "as the rule says", "no", "in between", "milder",
    ]  # fmt: skip
    assert [checkup.at_least(severity) for severity in ("error", "warning", "note")] == [2, 3, 4]


def test_a_fact_is_computed_once_even_if_it_is_unavailable() -> None:
    calls = {"known": 0, "hidden": 0}

    def known(facts: Facts) -> int:
        calls["known"] += 1
        return 7

    def hidden(facts: Facts) -> int:
        calls["hidden"] += 1
        raise Unavailable("nobody knows")

    def asks(facts: Facts) -> Iterator[Finding]:
        assert facts[known] == 7
        assert facts.get(hidden) is None
        assert facts[hidden]
        yield says(facts)

    checkup = examined(asks, asks, asks)
    assert [outcome.reason for outcome in checkup.outcomes] == ["nobody knows"] * 3
    assert calls == {"known": 1, "hidden": 1}


@pytest.mark.parametrize(
    ("state", "check", "lacks"),
    [
        ("refused", clear, "no step could be tried: too large"),
        ("timed out", clear, "no step could be tried: too large"),
        ("raised", clear, "the training step raised an error, which is not judged: too large"),
        ("raised", unjudged, "the training step raised an error, which is not judged: own code"),
        ("raised", found, ""),
    ],
)
def test_a_step_that_was_not_tried_is_incomplete(state: Answered, check: Check, lacks: str) -> None:
    """An error that the step raised was examined where a rule has an error to tell."""
    checkup = replace(examined(check), answers=(Answer(STEPPED, state, reason="too large"),))
    lacking = verdict(checkup, "error").lacking
    assert lacks in lacking if lacks else not lacking
