"""The reports: the same findings for people and for programs, whatever is in the messages."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from one_report import as_json, as_text, report

from trl_doctor.checkup.checkup import Checkup, examine
from trl_doctor.checkup.location import locate
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.finding import Copy, Finding, Fix, Place, Put, Remove, Spot
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Check, Rule
from trl_doctor.files.programs import of_keys
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.reports import json_v1
from trl_doctor.reports.style import COLOURS

WORLD = environment(None, installed=False)
PAGE = """A title.

It costs a night.

And a second paragraph.

Remedy: mend it.
"""
RUN = '{\n  "trainer": "grpo",\n  "beta": 0.5,\n  "stop": ["a", "b"]\n}\n'


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.json").write_text(RUN)
    return tmp_path


def checkup(*checks: Check) -> Checkup:
    rules = [
        Rule(PAGE, "error", check, (), f"rule-{number}") for number, check in enumerate(checks)
    ]
    run = open_run(target("run.json"), WORLD, Options())
    return examine(run, WORLD, rules)


def finds(facts: Facts) -> Iterator[Finding]:
    place = facts.run.place("stop", 1)
    fix = Fix("take it away", (Remove(place.file, place.pointer),))
    yield Finding(place, "stop has b", ("seen: b",), fix)
    yield Finding(facts.run.place("gone"), "gone is missing", severity="note", remedy="add it")


def skips(facts: Facts) -> Iterator[Finding]:
    raise Unavailable("there is no config.json")
    yield Finding(facts.run.place(), "")


def elsewhere(facts: Facts) -> Iterator[Finding]:
    raise NotConcerned("it is about PPO")
    yield Finding(facts.run.place(), "")


def crashes(facts: Facts) -> Iterator[Finding]:
    raise RuntimeError("no")
    yield Finding(facts.run.place(), "")


def clear(facts: Facts) -> tuple[()]:
    return ()


REPORT = """\
✗ run.json: failed, 1 error, 1 note
a run file: it has trainer · trainer grpo (trainer: grpo)
no trl or transformers or torch
PYTHON
level files: the real libraries were not used

error: stop has b
  at       run.json:4:17
         4 |   "stop": ["a", "b"]
           |                 ^
  seen     seen: b
  why      It costs a night.
  fix      take it away [--fix]
  rule     rule-0

note: gone is missing
  at       run.json:1:1
  remedy   add it
  rule     rule-0

  ✗ rule           1 error, 1 note, 1 crashed

  crashed  rule-3: RuntimeError: no (test_reports.py:LINE)
skipped: 1 check did not run
  there is no config.json (rule-1)

verdict: failed, 1 error, 1 note · 1 check clear · 1 did not run · --fix makes 1 repair
  rule-3 crashed: RuntimeError: no (test_reports.py:LINE)"""


def test_the_report_for_people(work: Path) -> None:
    shown = as_text(checkup(finds, skips, elsewhere, crashes, clear))
    line = crashes.__code__.co_firstlineno + 1
    expected = REPORT.replace("PYTHON", str(WORLD.python)).replace("LINE", str(line))
    assert shown == expected


def test_a_safe_fix_needs_no_remedy_beside_it_and_a_guess_does(work: Path) -> None:
    def fixable(facts: Facts) -> Iterator[Finding]:
        place = facts.run.place("beta")
        for safe, remedy in ((True, "set beta to 0"), (False, "ask the author of the run")):
            fix = Fix("take it away", (Remove(place.file, place.pointer),), safe=safe)
            yield Finding(place, f"safe is {safe}", fix=fix, remedy=remedy)

    text = as_text(checkup(fixable))
    assert "remedy   ask the author of the run" in text and "set beta to 0" not in text
    assert text.count("It costs a night.") == 1, "the reason is the rule's: once is enough"


def test_the_report_for_programs(work: Path) -> None:
    result = checkup(finds, skips, elsewhere, crashes, clear)
    data = as_json(result, 3, ["gone.json: there is no such file"])
    assert (data["format"], data["exit_code"]) == ("json-v1", 3)
    assert data["problems"] == ["gone.json: there is no such file"]
    (run,) = data["targets"]
    assert [run["target"], run["trainer"], run["models"]] == ["run.json", "grpo", {}]
    states = {check["rule"]: (check["state"], check["reason"]) for check in run["checks"]}
    assert states["rule-1"] == ("skipped", "there is no config.json")
    assert states["rule-2"] == ("not concerned", "it is about PPO")
    assert states["rule-3"][0] == "crashed"
    assert states["rule-4"] == ("clear", None)
    file = "run.json"
    for finding in run["checks"][0]["findings"]:
        finding["fingerprint"] = PRINT
    assert run["checks"][0]["findings"] == [
        {
            "severity": "error", "message": "stop has b", "fingerprint": PRINT, "page": None,
            "named_at": None, "file": file, "pointer": "/stop/1",
            "line": 4, "column": 17, "evidence": ["seen: b"], "stages": [],
                "follows_from": None, "remedy": "mend it.",
            "fix": {"message": "take it away", "safe": True,
                    "edits": [{"file": file, "pointer": "/stop/1", "remove": True}]},
        },
        {
            "severity": "note", "message": "gone is missing", "fingerprint": PRINT,
            "page": None, "named_at": None, "file": file, "pointer": "/gone",
            "line": 1, "column": 1, "evidence": [], "stages": [],
                "follows_from": None, "remedy": "add it", "fix": None,
        },
    ]  # fmt: skip


PRINT = "fingerprint"


ODD = st.text(
    st.characters() | st.sampled_from("\ud800\udcff\x00\x07\x1b\x7f\x9b\u202e\u2028\r\n\t -"),
    max_size=300,
)


@given(odd=ODD, other=ODD)
def test_no_text_spoils_a_report(
    odd: str, other: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assume(not of_keys(Path("run.json"), {odd: other}))  # hypothesis draws words of the sources
    folder = tmp_path_factory.getbasetemp() / "odd"
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"trainer": "grpo", odd: other}))

    def echoes(facts: Facts) -> Iterator[Finding]:
        edits = (
            Put(folder / "x.json", odd, {odd: [other]}),
            Copy(folder / odd.replace("/", "").replace("\0", ""), folder / "y"),
        )
        place = facts.run.place(odd)
        yield Finding(place, odd, (other, odd), Fix(other, edits, False), None, other)
        raise Unavailable(odd)

    def breaks(facts: Facts) -> Iterator[Finding]:
        raise RuntimeError(odd)
        yield Finding(facts.run.place(), "")

    rules = [Rule(PAGE, "error", check, (), f"rule-{check.__name__}") for check in (echoes, breaks)]
    run = open_run(target(str(folder / "run.json")), WORLD, Options())
    result = examine(run, WORLD, rules)
    for verbose in (False, True):
        shown = as_text(result, verbose=verbose)
        assert all(char.isprintable() or char == "\n" for char in shown)
        shown.encode()
    data = as_json(result)
    assert len(data["targets"][0]["checks"]) == 2


@pytest.mark.parametrize(
    "char", ["\x7f", "\x80", "\x9b", "\x9f", "\u2028", "\u202e", "\ud800", "\U000e0001"]
)
def test_no_control_character_reaches_a_report(work: Path, char: str) -> None:
    def says(facts: Facts) -> Iterator[Finding]:
        place = facts.run.place("stop")
        fix = Fix(f"set{char}", (Put(place.file, f"/a{char}", {f"b{char}": f"c{char}"}),))
        yield Finding(place, f"d{char}", (f"e{char}",), fix, remedy=f"f{char}")

    result = checkup(says)
    raw = json_v1.render(report(result, 1, [f"g{char}"]))
    for shown in (as_text(result), raw):
        assert shown.replace("\n", "").isprintable()
    data = json.loads(raw)
    if char.encode("utf-8", "replace") != b"?":
        assert data["problems"] == [f"g{char}"]


def test_long_texts_are_cut(work: Path) -> None:
    def endless(facts: Facts) -> Iterator[Finding]:
        for long in ("x" * 10**6, "x " * 10**5, "-" * 10**5, "a-b" * 10**5):
            yield Finding(facts.run.place(), long, (long,), Fix(long, ()), None, long)
        raise Unavailable("x" * 10**6)

    shown = as_text(checkup(endless), verbose=True)
    assert len(shown) < 100_000
    assert "…" in shown


def test_colours_only_with_the_option(work: Path) -> None:
    result = checkup(finds, skips, elsewhere, crashes, clear)
    coloured = as_text(result, colour=True)
    assert "\x1b[31merror\x1b[0m: stop has b" in coloured
    without = coloured
    for code in COLOURS.values():
        without = without.replace(f"\x1b[{code}m", "")
    assert without.replace("\x1b[0m", "") == as_text(result)


def test_rules_that_do_not_concern_the_run_are_listed_only_with_the_option(work: Path) -> None:
    result = checkup(elsewhere, clear)
    assert "PPO" not in as_text(result)
    assert "not concerned: rule-0 (it is about PPO)" in as_text(result, verbose=True)
    assert "nothing was examined" in as_text(checkup(elsewhere))


def test_many_rules_that_do_not_concern_the_run_are_counted(work: Path) -> None:
    text = as_text(checkup(*[elsewhere] * 8, clear), verbose=True)
    assert "not concerned: 8 checks; --output json" in text
    assert "it is about PPO (8 checks)" in text
    assert "rule-0" not in text.partition("not concerned")[2]


YAML = textwrap.dedent("""\
    trainer: grpo
    list:
      - a
      - {b: 1}
    """)


@pytest.mark.parametrize(
    ("name", "content", "pointer", "line", "column"),
    [
        ("a.json", RUN, "/beta", 3, 3),
        ("a.json", RUN, "/stop/0", 4, 12),
        ("a.json", RUN, "/stop/9", 4, 3),
        ("a.json", RUN, "", 1, 1),
        ("a.json", RUN, "no pointer", 1, 1),
        ("a.json", "{\n", "/x", 2, 1),
        ("a.json", "3", "/x/y", 1, 1),
        ("a.yaml", YAML, "/list/1/b", 4, 6),
        ("a.yml", YAML, "/trainer", 1, 1),
        ("a.yaml", "a: [", "/a", 1, 5),
        ("a.yaml", "# nothing", "/a", 1, 1),
    ],
)
def test_a_place_is_a_line_and_a_column(
    tmp_path: Path, name: str, content: str, pointer: str, line: int, column: int
) -> None:
    (tmp_path / name).write_text(content)
    at = locate(Place(tmp_path / name, pointer))
    assert at is not None
    assert (at.line, at.column) == (line, column)


def test_some_places_are_only_files(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "model.bin").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe.json")
    names = ("folder.json", "empty.json", "model.bin", "pipe.json", "gone.json", "x" * 999)
    for name in (*names, "a\0.json", "\ud800.json", "model.bin/x.json"):
        assert locate(Place(tmp_path / name, "/x")) is None


def test_a_place_is_found_anew_when_the_file_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    for before in range(5):
        file.write_text("\n" * before + '{"a": 1}')
        assert locate(Place(file, "/a")) == Spot(before + 1, 2, '{"a": 1}')


def test_every_finding_has_the_keys_that_programs_read(work: Path) -> None:
    def copies(facts: Facts) -> Iterator[Finding]:
        edits = (Copy(work / "a", work / "b"), Put(work / "c.json", "/d", float("nan")))
        yield Finding(Place(work), "it", fix=Fix("copy", edits, safe=False))

    data: Any = as_json(checkup(copies))
    (finding,) = data["targets"][0]["checks"][0]["findings"]
    assert (finding["file"], finding["line"], finding["column"]) == (".", None, None)
    assert finding["fix"] == {
        "message": "copy", "safe": False,
        "edits": [
            {"file": "a", "copy_of": "b"},
            {"file": "c.json", "pointer": "/d", "value": None},
        ],
    }  # fmt: skip


def test_checks_that_ran_in_part_are_counted_apart(work: Path) -> None:
    def in_part(facts: Facts) -> Iterator[Finding]:
        yield Finding(facts.run.place(), "this much")
        raise Unavailable("the rest is hidden")

    shown = as_text(checkup(skips, in_part))
    assert "skipped: 1 check did not run, 1 ran only in part\n" in shown
    assert shown.endswith("verdict: failed, 1 error · 0 checks clear · 1 did not run")
