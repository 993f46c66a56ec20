"""One checkup in every format: whole as a snapshot, and read by what consumes the format.

`python tests/test_formats.py` writes the snapshots anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import junitparser
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.first_row import FirstRow, RowPart
from trl_doctor.checkup.gather import gathered
from trl_doctor.checkup.levels import oracle_for
from trl_doctor.checkup.measurement import Measurement
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.report import Report, ShownPlace, TargetReport
from trl_doctor.checkup.verdict import Verdict, verdict
from trl_doctor.core.finding import Cell
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.reports.formats import FORMATS, renderer
from trl_doctor.reports.style import Style

ROOT = Path(__file__).parent.parent
SNAPSHOTS = Path(__file__).parent / "snapshots"
SUFFIXES = {"text": "txt", "concise": "concise.txt", "github": "github.txt", "junit": "xml",
            "markdown": "md", "gitlab": "gitlab.json", "json-v1": "json"}  # fmt: skip
SCHEMA = json.loads(
    files("trl_doctor.reports").joinpath("json_v1.schema.json").read_text(encoding="utf-8")
)
LENGTHS = Measurement(
    "Completion lengths", "tokens", (("2", 2.0), ("9", 1.0), ("24", 5.0)), "histogram", 24, "8 rows"
)
MEMORY = Measurement("GPU memory by part", "GiB", (("weights", 14.2), ("rest", 3.1)), "parts", 80)

ROW = FirstRow(
    "the first row, as SFTTrainer reads it: 9 tokens, 3 with a loss",
    (
        RowPart("reads", "<|user|>\nWhat is seven and one? <b>\n<|assistant|>\n", False),
        RowPart("learns", " Eight.<|end|>\n", True),
    ),
)


def example_report() -> Report:
    """The broken candidate, one that was not examined, and some measurements."""
    world = environment(None, ["trl==0.15.2", "transformers==4.48.3"], installed=False)
    run = open_run(target("fixtures/broken-grpo.json"), world, Options(offline=True))
    rules = [rule for rule in discover().rules if rule.name.startswith(("tokenizer-", "chat-t"))]
    checkup = examine(run, world, rules, oracle_for(None, "cpu", world))
    changed = gathered(checkup, verdict(checkup, "error"))
    changed = replace(
        changed, python="python", libraries="trl 0.15.2, transformers 4.48.3, no torch"
    )
    changed = replace(changed, measurements=(LENGTHS, MEMORY), first_rows=(ROW,))
    other = TargetReport("train.ipynb", "", Verdict("incomplete", ("a notebook is not read",)))
    return Report(
        (changed, other),
        1,
        ("gone.yaml: there is no such file or folder",),
        "/repo",
        rules={rule.name: rule for rule in rules},
        pages="https://docs.example/trl-doctor/",
    )


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(ROOT)
    return example_report()


def snapshot(form: str) -> Path:
    return SNAPSHOTS / f"report.{SUFFIXES.get(form, form)}"


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "json"])
def test_the_whole_report_is_as_it_was(form: str, report: Report) -> None:
    assert renderer(form, Style())(report) + "\n" == snapshot(form).read_text()


def sarif(report: Report) -> dict[str, Any]:
    """The SARIF report, held to the schema."""
    text = renderer("sarif", Style())(report)
    Sarif.model_validate_json(text)
    run: dict[str, Any] = json.loads(text)["runs"][0]
    return run


def test_sarif_is_what_github_wants(report: Report) -> None:
    run = sarif(report)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        assert not location["physicalLocation"]["artifactLocation"]["uri"].startswith(("/", "file"))
    for rule in rules[:-1]:
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"] and rule["help"]["markdown"]
    assert all(result["partialFingerprints"] for result in run["results"][:-1])
    assert run["results"][-1]["ruleId"] == "incomplete"


def test_the_fixes_in_sarif_make_the_change(report: Report) -> None:
    results = sarif(report)["results"]
    (fix,) = next(
        result["fixes"] for result in results if result["ruleId"] == "tokenizer-pad-missing"
    )
    changed, *_ = fix["artifactChanges"]
    (made_,) = changed["replacements"]
    region = made_["deletedRegion"]
    lines = (ROOT / changed["artifactLocation"]["uri"]).read_text().splitlines(keepends=True)
    inserted = made_["insertedContent"]["text"]
    lines[region["startLine"] - 1 : region["endLine"] - 1] = [inserted]
    assert json.loads("".join(lines))["pad_token"] == "<|fim_pad|>"


def test_json_keeps_to_its_schema(report: Report) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    data = json.loads(renderer("json", Style())(report))
    Draft202012Validator(SCHEMA).validate(data)
    assert data["summary"]["targets"] == {"total": 2, "passed": 0, "failed": 1, "incomplete": 1}
    assert data["summary"]["findings"] == {"error": 2, "warning": 0, "note": 0}


def test_junit_is_read(report: Report, tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(renderer("junit", Style())(report))
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "r.xml")))
    assert [(suite.name, suite.failures, suite.errors) for suite in suites] == [
        ("fixtures/broken-grpo.json", 2, 0), ("train.ipynb", 0, 1), ("trl-doctor", 0, 1),
    ]  # fmt: skip


def test_gitlab_has_what_the_page_needs(report: Report) -> None:
    issues = json.loads(renderer("gitlab", Style())(report))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 4
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert isinstance(issue["location"]["lines"]["begin"], int)


def test_github_annotates_errors_first(report: Report) -> None:
    lines = renderer("github", Style())(report).splitlines()
    assert [line[: line.index(" ")] for line in lines] == ["::error"] * 4 + ["::notice"]
    assert "file=fixtures/models/no-pad-no-stop/generation_config.json,line=2,col=3" in lines[1]


class _Page(HTMLParser):
    """Which elements a page has, and whether all are closed in order."""

    VOID = frozenset({"meta", "link", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []
        self.loads += [tag] if tag in ("script", "img", "iframe", "object") else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(report: Report) -> _Page:
    parser = _Page()
    parser.feed(renderer("html", Style())(report))
    assert parser.open == []
    return parser


def test_html_is_one_whole_page(report: Report) -> None:
    parser = page(report)
    assert parser.loads == []
    pages = {link for link in parser.links if link.startswith("https://docs.example/")}
    assert len(pages) == 2
    assert len(set(parser.ids)) == len(parser.ids)
    assert {link.removeprefix("#") for link in parser.links} - pages <= set(parser.ids)


PAGE = "https://docs.example/trl-doctor/rules/tokenizer-pad-missing/"


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("concise", "gitlab")])
def test_a_finding_carries_the_address_of_its_page(form: str, report: Report) -> None:
    assert PAGE in renderer(form, Style())(report)
    assert "docs.example" not in renderer(form, Style())(replace(report, pages=""))


HOSTILE = [
    "<script>alert(1)</script>", "]]>", "\x1b[31m\x00\x7f\x9b\u202e", "a\r\n::error::b", "`|`|``",
    "\ud800", "%0A::error::", "x" * 10_000_000, "{{ 7 * 7 }}", "&amp;<!--", "a\u2028b",
]  # fmt: skip


def hostile(report: Report) -> Iterator[Report]:
    for text in HOSTILE:
        (first, *_) = report.targets
        entry = first.entries[0]
        spot = replace(entry.at, file=text, pointer="/" + text, text=text)
        bad = replace(entry, message=text, at=spot, anchor=spot, evidence=(text,), remedy=text)
        check = replace(first.checks[0], rule=bad.rule, entries=(bad,), state="found", reason=text)
        target = replace(first, given=text, taken_for=text, checks=(check,), trainer_from=text)
        target = replace(target, verdict=Verdict("failed", (text,)))
        yield Report((target,), 1, (text,), "/repo", rules=report.rules)


def test_no_text_spoils_a_format(report: Report, tmp_path: Path) -> None:
    for hostile_report in hostile(report):
        sarif(hostile_report)
        Draft202012Validator(SCHEMA).validate(
            json.loads(renderer("json", Style())(hostile_report).encode())
        )
        (tmp_path / "r.xml").write_text(renderer("junit", Style())(hostile_report))
        assert len(list(junitparser.JUnitXml.fromfile(str(tmp_path / "r.xml")))) == 2
        json.loads(renderer("gitlab", Style())(hostile_report))
        page(hostile_report)
        assert len(renderer("github", Style())(hostile_report).splitlines()) == 4
        for form in FORMATS:
            text = renderer(form, Style())(hostile_report)
            assert text.replace("\n", "").isprintable(), form
            assert len(text) < 200_000 or form in ("json", "json-v1", "sarif", "gitlab"), form
            text.encode()


if __name__ == "__main__":
    os.chdir(ROOT)
    for form in FORMATS:
        snapshot(form if form != "json" else "json-v1").write_text(
            renderer(form, Style())(example_report()) + "\n"
        )


def test_a_place_in_a_notebook_is_its_cell(report: Report) -> None:
    (first, *_), at = (
        report.targets,
        ShownPlace("n.ipynb", "/lr", 1, 815, "lr = 1", cell=Cell(2, 5, 9)),
    )
    check = next(check for check in first.checks if check.entries)
    entry = replace(check.entries[0], at=at, anchor=at)
    target = replace(first, checks=(replace(check, entries=(entry,)),))
    report = replace(report, targets=(target,))
    concise, text, github = (
        renderer(form, Style())(report) for form in ("concise", "text", "github")
    )
    assert concise.startswith("n.ipynb:cell 2:5:9: error ")
    assert "  at       n.ipynb:cell 2:5:9\n         5 | lr = 1\n" in text
    assert "file=n.ipynb,line=1,col=815" in github
    assert "at n.ipynb:cell 2:5:9" in github
