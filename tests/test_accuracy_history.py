"""Tables of docs/accuracy-history.md: their threads, their sums and the rules that they name."""

import re
import sys
from collections import defaultdict
from pathlib import Path

from trl_doctor.checkup.discover import discover

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests/proofs"), str(ROOT / "fixtures")]

from reports.collection import REPORTS  # noqa: E402

PAGE = (ROOT / "docs/accuracy-history.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^#{3,4} `(\w+)`[^\n]*\n(.*?)(?=^#{2,4} |\Z)", re.M | re.S)
THREAD = re.compile(
    r"^\| (?:\[[^]]+\]\(https://github\.com/([^)]+)/(?:issues|pull)/(\d+)\)|(\S+)#(\d+)"
    r"|([\w-]+(?:\.[\w-]+)+/\S+)) \|"
)
"""A thread of a tracker, as a link or by its short name; or the address of a page."""


def rows() -> dict[str, list[list[str]]]:
    """The rows of a list's table, by the list: the thread's name, then the other cells."""
    tables: dict[str, list[list[str]]] = defaultdict(list)
    for name, text in SECTION.findall(PAGE):
        for line in text.splitlines():
            if named := THREAD.match(line):
                thread = "#".join(part for part in named.groups() if part)
                tables[name].append([thread, *line[named.end() :].split(" | ")])
    return tables


def test_each_table_has_the_threads_of_its_list() -> None:
    groups: dict[str, list[str]] = defaultdict(list)
    for report in REPORTS:
        groups[report.group].append(report.thread)
    tables = {name: sorted(row[0] for row in table) for name, table in rows().items()}
    assert len(tables) > 15
    assert tables == {name: sorted(groups[name]) for name in tables}


def test_the_sums_are_those_of_the_tables() -> None:
    tables = rows()
    for name, text in SECTION.findall(PAGE):
        if not (printed := re.search(r"^\*\*(\d+) of (\d+) found", text, re.M)):
            continue
        first = [row[3] for row in tables[name] if row[3] != "not counted"]
        assert printed.groups() == (str(len(first) - first.count("missed")), str(len(first))), name


def test_the_rules_of_the_last_column_exist() -> None:
    named = {
        name
        for table in rows().values()
        for row in table
        for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", row[-1])
    }
    assert len(named) > 40
    assert named <= {rule.name for rule in discover().rules}
