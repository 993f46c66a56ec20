"""Which proofs a run takes that does not take all: other ones for each commit.

All proofs take longer than one waits for an answer to a commit. `--share 6` runs the proofs of the
founding five, and of the others one in six. The commit draws, so a run can be repeated, and the
next commit draws others: what one run does not reach, one of the next does.
"""

from __future__ import annotations

import subprocess
from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", metavar="N", type=int, default=1, help="draw one proof in N")
    parser.addoption("--draw", metavar="WORD", help="repeat the draw of this word")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how the same draw is made again."""
    config = terminalreporter.config
    share = config.getoption("--share")
    if share > 1:
        draw = f"--share {share} --draw {word(config)}"
        terminalreporter.line(f"one proof in {share}, and those of the founding five: {draw}")


def word(config: pytest.Config) -> str:
    """The word that draws: that of the option, else the commit that is checked out."""
    if given := config.getoption("--draw"):
        return str(given)
    asked = ["git", "-C", str(config.rootpath), "rev-parse", "--short=12", "HEAD"]
    answer = subprocess.run(asked, capture_output=True, text=True)
    if answer.returncode:
        raise pytest.UsageError(f"no commit can draw the proofs, use --draw: {answer.stderr}")
    return answer.stdout.strip()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the proofs that are not drawn: the marks tell which tests are proofs."""
    share = config.getoption("--share")
    if share <= 1:
        return
    draw = word(config)
    others = {item for item in items if not _taken(item, share, draw)}
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]


def _taken(item: pytest.Item, share: int, draw: str) -> bool:
    if not item.get_closest_marker("proof") or item.get_closest_marker("founding"):
        return True
    return crc32(f"{draw} {item.nodeid}".encode()) % share == 0
