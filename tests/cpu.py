"""Counts the processor seconds of each test with those of the processes that it starts.

`pytest --cpu files` prints them at the end, `pytest --cpu tests` those of each test.
"""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

TICK = os.sysconf("SC_CLK_TCK")
KEY = "processor seconds"


def used() -> float:
    """Seconds that this process, its living descendants and those that have ended have used."""
    own = [resource.getrusage(scope) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in own) + _of_the_living()


def _of_the_living() -> float:
    """The seconds of the descendants that run, with their own ended children's (Linux)."""
    below: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = stat.read_bytes().rpartition(b")")[2].split()
            below[int(fields[1])].append((int(stat.parent.name), sum(map(int, fields[11:15]))))
    ticks, queue = 0, [os.getpid()]
    while queue:
        for process, took in below[queue.pop()]:
            ticks += took
            queue.append(process)
    return ticks / TICK


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--cpu", choices=("files", "tests"), help="print the processor seconds of each of these"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not item.config.getoption("--cpu"):
        return (yield)
    before = used()
    item.user_properties.append((KEY, before))
    return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    try:
        return (yield)
    finally:
        item.user_properties[:] = [
            (key, used() - value if key == KEY else value) for key, value in item.user_properties
        ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not (choice := terminalreporter.config.getoption("--cpu")):
        return
    total: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                seconds = dict(report.user_properties).get(KEY, 0.0)
                total[report.nodeid if choice == "tests" else report.nodeid.split("::")[0]] += (
                    seconds
                )
    terminalreporter.section("processor seconds")
    for name, seconds in sorted(total.items(), key=lambda item: -item[1]):
        terminalreporter.line(f"{seconds:8.1f}  {name}")
    terminalreporter.line(f"{sum(total.values()):8.1f}  in all")
