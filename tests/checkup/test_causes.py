"""One root cause is reported once: what follows from it is its proof, in both reports."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from one_report import as_json, as_text

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.causes import ReportedFinding, reported
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Finding, Fix, Place, Put, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Rule
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.probes.answers.config import ConfigAnswer
from trl_doctor.probes.answers.error import Error
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.testing import answered

PLACE = Place(Path("run.json"))
FIX = Fix("set it", (Put(PLACE.file, "/a", 1),))
WORLD = environment(None, installed=False)


def outcome(
    name: str, *follows: str, severity: Severity | None = None, fix: Fix | None = None
) -> Outcome:
    rule = Rule("A title.\n\nIt costs.", "error", lambda facts: (), (), name)
    finding = Finding(PLACE, f"{name} speaks", ("seen",), fix, severity, follows=follows)
    return Outcome(rule, "found", (finding,))


def failed(error: str, *follows: str) -> Outcome:
    """What the rule `step` found: the trainer raised this."""
    rule = Rule("A title.\n\nIt costs.", "error", lambda facts: (), (), "step")
    finding = Finding(PLACE, "step speaks", follows=follows, error=error)
    return Outcome(rule, "found", (finding,))


def explaining(name: str, pattern: str) -> Outcome:
    """What a rule found that explains such errors."""
    result = outcome(name)
    return structs.replace(result, rule=replace(result.rule, explains=pattern))


def causes(*outcomes: Outcome) -> dict[str, str | None]:
    """The cause of each rule's finding."""
    return {name(finding): finding.cause and name(finding.cause) for finding in reported(outcomes)}


def name(finding: ReportedFinding) -> str:
    return finding.outcome.rule.name


def test_a_finding_follows_from_the_first_of_its_causes_that_was_found() -> None:
    outcomes = (outcome("step", "absent", "pad", "chat"), outcome("chat"), outcome("pad"))
    assert causes(*outcomes) == {"step": "pad", "chat": None, "pad": None}
    assert causes(outcomes[0]) == {"step": None}


def test_a_rule_explains_errors_that_other_rules_report() -> None:
    pad, chat = explaining("pad", "pad(ding)? token"), explaining("chat", "token")
    error = failed("ValueError: there is no padding token")
    assert causes(error, chat, pad) == {"step": "pad", "chat": None, "pad": None}
    assert causes(failed("ValueError: no token"), chat, pad)["step"] == "chat"
    assert causes(failed("ValueError: no"), chat, pad)["step"] is None
    assert causes(failed("ValueError: no padding token", "chat"), chat, pad)["step"] == "chat"


def test_a_rule_explains_no_finding_without_an_error() -> None:
    assert causes(outcome("step"), explaining("pad", ".*")) == {"step": None, "pad": None}


def test_a_milder_finding_explains_no_worse_one() -> None:
    mild = outcome("pad", severity="warning")
    assert causes(outcome("step", "pad"), mild) == {"step": None, "pad": None}
    assert causes(outcome("step", "pad", severity="note"), mild) == {"step": "pad", "pad": None}


def test_a_finding_with_a_fix_is_reported_by_itself() -> None:
    assert causes(outcome("step", "pad", fix=FIX), outcome("pad")) == {"step": None, "pad": None}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_no_circle_hides_everything(order: tuple[int, ...]) -> None:
    circle = (outcome("a", "b"), outcome("b", "c"), outcome("c", "a"))
    every = reported([circle[number] for number in order])
    roots = [finding for finding in every if finding.cause is None]
    assert roots
    shown = [name(proof) for root in roots for proof in (root, *root.all_proofs())]
    assert sorted(shown) == ["a", "b", "c"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_chain_is_reported_at_its_root(order: tuple[int, ...]) -> None:
    chain = (outcome("a", "b"), outcome("b", "c"), outcome("c"))
    every = reported([chain[number] for number in order])
    (root,) = [finding for finding in every if finding.cause is None]
    assert [name(finding) for finding in (root, *root.all_proofs())] == ["c", "b", "a"]


@pytest.fixture
def checkup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkup:
    def pad(facts: Facts) -> Iterator[Finding]:
        yield Finding(facts.run.place("pad"), "there is no pad token", fix=FIX)

    def step(facts: Facts) -> Iterator[Finding]:
        message = "the trainer dies: Asking to pad"
        yield Finding(facts.run.place(), message, ("trl/x.py:1",), follows=("tokenizer-pad",))

    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text('{"trainer": "grpo"}\n')
    doc = "A title.\n\nIt costs.\n\nRemedy: mend it."
    rules = [
        Rule(doc, "error", step, (), "step-dies"),
        Rule(doc, "error", pad, (), "tokenizer-pad"),
    ]
    return examine(open_run(target("run.json"), WORLD, Options()), WORLD, rules)


def test_people_see_the_cause_with_its_proof(checkup: Checkup) -> None:
    shown = as_text(checkup)
    assert "✗ training step  see tokenizer-pad\n" in shown
    assert shown.count("\nerror: ") == 1
    assert "  proof    the trainer dies: Asking to pad\n  why " in shown
    assert "trl/x.py:1" not in shown
    assert "verdict: failed, 1 error · " in shown
    assert "           trl/x.py:1\n" in as_text(checkup, verbose=True)


def test_programs_get_every_finding_and_its_cause(checkup: Checkup) -> None:
    (run,) = as_json(checkup)["targets"]
    by_rule = {check["rule"]: check["findings"][0]["follows_from"] for check in run["checks"]}
    assert by_rule == {"step-dies": "tokenizer-pad", "tokenizer-pad": None}


def test_an_unknown_argument_that_trl_refuses_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both rules see it: one in the names, one in what the real config class says."""
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text('{"trainer": "grpo", "output_dir": "out", "learning_rat": 1}')
    world = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
    refused = "GRPOConfig.__init__() got an unexpected keyword argument 'learning_rat'"
    answer = ConfigAnswer("GRPOConfig", Error("TypeError", refused))
    libraries = LibrariesAnswer({})
    answers = {"config": answered("config", answer), "libraries": answered("libraries", libraries)}
    named = ("argument-unknown", "argument-refused-by-trl")
    rules = [rule for rule in discover().rules if rule.name in named]
    run = open_run(target("run.json"), world, Options())
    checkup = examine(run, world, rules, ExampleOracle(answers))
    by_rule = {
        name(finding): finding.cause and name(finding.cause)
        for finding in reported(checkup.outcomes)
    }
    assert by_rule == {"argument-unknown": None, "argument-refused-by-trl": "argument-unknown"}
