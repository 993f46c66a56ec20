"""How a proof is written, and the environments that the proofs run in.

A proof makes the failure happen in the real libraries, and shows what the doctor reports before:

    @pytest.mark.environment("four")       # or a parameter `environment`; "current" needs no mark
    def test_the_failure(tmp_path: Path, interpreter: Interpreter) -> None:
        python = interpreter("four")       # skipped where it is not built
        candidate(tmp_path, RUN)           # lay out files
        done = ran(python, "-m", "trl.scripts.sft", "--config", "run.json", cwd=tmp_path)
        assert "what it raises" in done.stderr
        (finding,) = checks(tmp_path / "run.json", python)["the-rule"]["findings"]

`commands.ran` is the real run of a script, of `-m module` or of `-c code`; `answered` and the
fixture `real` are runs that answer in JSON. `commands.checks` and `reports` are what the doctor
says. None of them imports anything: `ran` forks from a process that has imported the environment's
libraries (`real_host.py`), and so do the hosts of the doctor's probes (`hosts.py`) and what is
rehearsed (`rehearsing.py`), but for proofs of how a script or a launcher starts. Tests are
grouped by environment, so each is imported once by one worker (the largest by two). What is to
be shown of whole processes (an import that fails, a kept script that is run again) uses
`subprocess`, and `checks(..., alone=True)` for the command itself. A proof counts no seconds of the
clock.

The folders say what fails: the data, the training step, the rewards, the launch … What several of
them import is in this folder: `laid.py`, `run_with_rows.py` and `rehearsed.py` have candidates and
scripts, and `real*.py` run in the environments.

`--environment NAME` runs the proofs of one environment; `-m founding` those of the five failures
that the doctor was made for; `--share 6` these and one in six of the others (`tests/drawn.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zlib import crc32

import hosts
import pytest
import rehearsing
from commands import answered

from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.request import request_of
from trl_doctor.checkup.session import Session, session

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "fixtures"))  # the proofs import make.py from there
sys.path.append(str(ROOT / "benchmarks"))  # and fit.py from there
SCRIPT = Path(__file__).with_name("real.py")
MOST = "current"
"""The environment of a proof that names none: more than a third of them."""


def pytest_configure(config: pytest.Config) -> None:
    for mark in (
        "environment(name): the environment that a proof spends most time in",
        "founding: proofs of the five failures that the doctor was made for",
        "proof: runs real libraries",
    ):
        config.addinivalue_line("markers", mark)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--environment", metavar="NAME", help="only the proofs of this environment")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the proofs of an environment together, for one worker to run."""
    wanted = config.getoption("--environment", None)
    for item in items:
        if environment := _environment(item):
            item.add_marker("proof")
            item.add_marker(pytest.mark.xdist_group(_group(item, environment)))
    if wanted:
        others = [item for item in items if _environment(item) != wanted]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]
    items.sort(key=lambda item: _environment(item))


def _group(item: pytest.Item, environment: str) -> str:
    """The proofs that one worker runs: of the largest environment one half of the files."""
    half = crc32(item.path.name.encode()) % 2 if environment == MOST else 0
    return f"{environment}-{half}"


def _environment(item: pytest.Item) -> str:
    """The environment of a proof, by its parameters or its mark; empty for any other test."""
    if "interpreter" not in getattr(item, "fixturenames", ()):
        return ""
    parameters = getattr(item, "callspec", None)
    for name, value in parameters.params.items() if parameters else ():
        environment = value if name == "environment" else getattr(value, "environment", None)
        if isinstance(environment, str):
            return environment
    mark = item.get_closest_marker("environment")
    return str(mark.args[0]) if mark else MOST


@pytest.fixture(scope="session", autouse=True)
def hosts_end() -> Iterator[None]:
    """The processes that are kept end with the tests."""
    yield
    rehearsing.close()
    hosts.close()


@pytest.fixture(scope="session")
def interpreter() -> Callable[[str], Path]:
    """The python of an environment by its name."""
    named = os.environ.get("TRL_DOCTOR_ENVIRONMENTS")
    folder = Path(named).absolute() if named else ROOT / "environments"

    def find(name: str) -> Path:
        python = folder / name / "bin" / "python"
        if not python.exists():
            pytest.skip(f"there is no {python}: environments/make.sh {name}")
        return python

    return find


@pytest.fixture
def real() -> Callable[..., dict[str, Any]]:
    """What the real libraries answer to a request about a candidate folder."""

    def ask(python: Path, folder: Path, **request: Any) -> dict[str, Any]:
        answer: dict[str, Any] = answered(python, SCRIPT, request=request, cwd=folder)
        return answer

    return ask


@pytest.fixture
def sessions() -> Iterator[Callable[[Path], Session]]:
    """Sessions whose rehearsals are forks of a kept process with an interpreter's libraries."""
    with rehearsing.hosts_are_kept(), ExitStack() as held:

        def of(python: Path) -> Session:
            new_session = session(
                request_of({"python": str(python), "timeout": 900.0}), discover().rules
            )
            held.enter_context(new_session.probes)
            return new_session

        yield of
