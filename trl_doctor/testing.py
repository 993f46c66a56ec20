"""Holds a rule to its examples: one call a rule, for the rules here and for anybody's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.asking.oracle import Conditions, ExampleOracle, NoOracle
from trl_doctor.checkup import launch_targets
from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.stated_gpus import GpuOptions
from trl_doctor.core.distribution import normal
from trl_doctor.core.page import page
from trl_doctor.core.question import Answer, Question
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.files import document
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import Environment
from trl_doctor.machine.surroundings import Surroundings
from trl_doctor.repair import plan as repair


def hold(rule: Rule) -> None:
    """Assert everything that a rule promises: its page, its examples, its fixes.

    A bad example is found with the expected message; its fix silences the rule and leaves the
    files as `fixed` shows; fixing again changes nothing. A good example is clear. Raises
    `AssertionError` with the example's number.
    """
    doc = page(rule.doc)
    assert len(doc.title) <= 60, f"the title has {len(doc.title)} characters, not 60"
    assert doc.title.endswith("."), "the title is a sentence"
    assert doc.why and doc.remedy, "the page says why it hurts and what to do"
    assert any(isinstance(example, Bad) for example in rule.all_examples()), (
        "there is no bad example"
    )
    assert any(isinstance(example, Good) for example in rule.all_examples()), (
        "there is no good example"
    )
    for number, example in enumerate(rule.all_examples()):
        with laid_out(example.files) as folder:
            try:
                _bad(rule, example, folder) if isinstance(example, Bad) else _good(
                    rule, example, folder
                )
            except AssertionError as error:
                raise AssertionError(f"example {number} of {rule.name}: {error}") from None
            except NoTarget:
                message = f"its target {example.target} is not one of its files"
                raise AssertionError(f"example {number} of {rule.name}: {message}") from None


def check(rule: Rule, example: Good | Bad, folder: Path) -> Checkup:
    """Examine an example laid out in a folder by one rule."""
    return _examine(rule, example, folder, Options(offline=True))


@contextmanager
def laid_out(files: Files) -> Iterator[Path]:
    """The files written into a temporary folder. Its path is real: no link on the way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for relative, content in files.items():
            file = folder / relative
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_bytes(content))
        yield folder


def _bytes(content: object) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _world(example: Good | Bad, folder: Path) -> Environment:
    """What is stated, and what is in `site-packages` among the example's files."""
    stated = {normal(name): Version(version) for name, version in example.versions.items()}
    return Environment(Path("python"), (folder / "site-packages",), stated)


def _examine(
    rule: Rule, example: Good | Bad, folder: Path, options: Options, *, fixed: bool = False
) -> Checkup:
    world = _world(example, folder)
    pointed = target(str(folder / example.target), offline=True)
    if pointed.kind == "launch":  # its first line, in a loop the last turn of the first line
        parts = launch_targets.parts(pointed)
        pointed = next((part for part in reversed(parts) if parts[0] in part.turns), parts[0])
    recorded = example.fixed_answers if fixed and isinstance(example, Bad) else example.answers
    answers = {name: answered(name, value) for name, value in recorded.items()}
    conditions = Conditions(example.level, "cuda" if example.level == "full" else "cpu")
    probes = (
        ExampleOracle(answers, conditions)
        if answers or example.machine
        else NoOracle("this example has no answers of probes")
    )
    gpus = GpuOptions(example.gpu or None)
    machine = example.machine or Surroundings()
    run = open_run(pointed, world, replace(options, gpus=gpus, machine=machine))
    return examine(run, world, [rule], probes)


def answered(probe: str, value: Any) -> Answer[Any]:
    """What became of a question to which a probe gave this answer; an `Answer` as it is."""
    if isinstance(value, Answer):
        return value
    return Answer(Question(probe, probe, {}, type(value)), "answered", value)


def _good(rule: Rule, example: Good, folder: Path) -> None:
    (outcome,) = check(rule, example, folder).outcomes
    says = [finding.message for finding in outcome.findings]
    if example.skipped:
        assert outcome.state == "skipped", f"is {outcome.state} {says}, not skipped"
        assert example.skipped in outcome.reason, f"is skipped because {outcome.reason!r}"
    else:
        assert outcome.state in ("clear", "not concerned"), (outcome.state, says, outcome.reason)


def _bad(rule: Rule, example: Bad, folder: Path) -> None:
    checkup = check(rule, example, folder)
    (outcome,) = checkup.outcomes
    messages = " | ".join(finding.message for finding in outcome.findings)
    assert outcome.state == "found", f"is {outcome.state}: {outcome.reason}"
    assert example.says in messages, f"says {messages!r}, not {example.says!r}"
    severity = example.severity or rule.severity
    assert severity in {outcome.severity(finding) for finding in outcome.findings}, (
        "another severity"
    )
    fixes = [finding.fix for finding in outcome.findings if finding.fix]
    assert bool(fixes) == (example.fixed is not None), "`fixed` does not match the findings"
    if fixes:
        _repaired(rule, example, folder, checkup)


def _repaired(rule: Rule, example: Bad, folder: Path, checkup: Checkup) -> None:
    planned = repair.plan(
        checkup,
        lambda moved: _examine(
            rule, example, folder, Options(offline=True, moved=moved), fixed=True
        ),
        unsafe=True,
    )
    assert not planned.held, f"held back: {[step.reason for step in planned.held]}"
    for path, _, after in planned.changed():
        path.write_bytes(after)
    expected = {**example.files, **(example.fixed or {})}
    for relative, content in expected.items():
        file = folder / relative
        if file.suffix in (".json", ".yaml", ".yml") and not isinstance(content, str | bytes):
            assert document.read(file).value == content, f"{relative}: {file.read_text()}"
        else:
            assert file.read_bytes() == _bytes(content), relative
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names == set(expected), f"the fix leaves {sorted(names)}"
    (outcome,) = _examine(rule, example, folder, Options(offline=True), fixed=True).outcomes
    assert outcome.state == "clear", f"after the fix it is {outcome.state}: {outcome.findings}"
