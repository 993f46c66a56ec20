"""Reports on the trainers of a script become one report, with what is the same once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from trl_doctor.checkup.report import Check, Entry, Report, ShownPlace, TargetReport
from trl_doctor.checkup.stages import Stage, lacking, ranges, together
from trl_doctor.checkup.subjects import Subject
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.reports import text
from trl_doctor.reports.style import Style

AT = ShownPlace("train.py", "/x", 9, 5, "    x")


def entry(message: str, at: ShownPlace = AT, **about: Any) -> Entry:
    values = {"severity": "error", "evidence": ("a",), "cause": None, "proofs": (), **about}
    return Entry("a-rule", "A title.", message=message, at=at, anchor=at, why="", remedy="do it",
                 own_remedy=True, fix=None, fingerprint="1", **values)  # fmt: skip


def alone(*entries: Entry, state: str = "clear", reason: str = "", word: Any = "passed",
          line: str = "2 checks clear", **about: Any) -> TargetReport:  # fmt: skip
    """The report on one trainer."""
    check = Check("a-rule", "found" if entries else state, reason, entries)
    return TargetReport("train.py", "a script, rehearsed", Verdict("failed" if entries else word),
                        "sft", checks=(check,), subjects=(Subject("data", "good", line),),
                        **about)  # fmt: skip


def joined(*reports: TargetReport) -> TargetReport:
    names = ("SFTTrainer at train.py:3", "DPOTrainer at train.py:7", "KTOTrainer at train.py:9")
    return together([Stage(name, report) for name, report in zip(names, reports, strict=False)])


def test_one_trainer_has_the_report_that_it_had() -> None:
    report = alone(entry("bad"))
    assert joined(report) is report


def test_a_finding_names_its_trainer() -> None:
    report = joined(alone(), alone(entry("bad")))
    (check,) = report.checks
    (found,) = check.entries
    assert found.evidence == ("in stage 2 of 2: DPOTrainer at train.py:7", "a")
    assert (found.stages, check.state, report.verdict.word) == ((2,), "found", "failed")
    assert [stage.verdict for stage in report.stages] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("messages", "where"),
    [
        (("bad", "bad", "bad"), "in all 3 trainers"),
        (("is 0.1", "is 0.52", "is 1e-06"), "in all 3 trainers, with other numbers"),
        (("bad", "bad", ""), "in 2 of 3 trainers: stages 1 and 2"),
    ],
)
def test_what_is_the_same_is_reported_once(messages: tuple[str, ...], where: str) -> None:
    report = joined(*(alone(*([entry(message)] if message else [])) for message in messages))
    (found,) = report.entries
    assert (found.message, found.evidence[0]) == (messages[0], where)


def test_other_places_and_other_words_are_other_findings() -> None:
    elsewhere = replace(AT, line=12)
    report = joined(alone(entry("bad")), alone(entry("bad", elsewhere)), alone(entry("worse")))
    assert [found.stages for found in report.entries] == [(1,), (2,), (3,)]


def test_what_lacks_names_its_trainer() -> None:
    incomplete = replace(alone(), verdict=Verdict("incomplete", ("no step",)))
    report = joined(alone(), incomplete)
    sentence = "stage 2 of 2: DPOTrainer at train.py:7: no step"
    assert (report.verdict.word, report.verdict.lacking) == ("incomplete", (sentence,))
    assert joined(incomplete, incomplete).verdict.lacking == ("no step",)
    assert lacking(alone(), "2 more").verdict == Verdict("incomplete", ("2 more",))
    assert lacking(alone(entry("bad")), "2 more").verdict.word == "failed"


def test_a_check_that_ran_for_one_trainer_has_a_reason_for_the_other() -> None:
    (check,) = joined(alone(), alone(state="skipped", reason="no rows")).checks
    assert (check.state, check.reason) == ("clear", "stage 2: no rows")
    (check,) = joined(*[alone(state="skipped", reason="no rows")] * 2).checks
    assert (check.state, check.reason) == ("skipped", "no rows")


def test_lines_that_differ_are_named() -> None:
    assert joined(alone(line="pad a"), alone(line="pad a")).subjects[0].line == "pad a"
    other = joined(alone(line="pad a"), alone(line="pad b"), alone(line="pad a"))
    assert other.subjects[0].line == "stages 1 and 3: pad a; stage 2: pad b"
    counted = joined(alone(line="3 checks clear"), alone(line="1 check clear"))
    assert counted.subjects[0].line == "0 checks clear"  # no check of this subject


def test_the_text_lists_the_trainers() -> None:
    report = Report((joined(alone(), alone(entry("bad"))),), 1)
    lines = text.render(report, Style()).splitlines()
    assert lines[2:4] == ["  stage 1 of 2: SFTTrainer at train.py:3: passed",
                          "  stage 2 of 2: DPOTrainer at train.py:7: failed, 1 error"]  # fmt: skip
    same = [Stage("SFTTrainer at train.py:3", alone())] * 3
    lines = text.render(Report((together(same),), 0), Style()).splitlines()
    assert lines[2] == "  stages 1 to 3 of 3: SFTTrainer at train.py:3: passed"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((4,), "4"), ((1, 2), "1 and 2"), ((1, 2, 3), "1 to 3"), ((1, 3, 5, 6, 7), "1, 3 and 5 to 7")],
)
def test_numbers_in_words(numbers: tuple[int, ...], words: str) -> None:
    assert ranges(numbers) == words
