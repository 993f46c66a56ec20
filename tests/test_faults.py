"""A disk that fails at any call of a report, a kept folder, a copy, an undo, trust, the Hub's copy.

What was to be written is whole or as it was, nothing lies beside it, and no traceback is shown.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import sys
import xml.etree.ElementTree as xml
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import click
import pytest
from fuzzing.ground import Ground
from msgspec import structs
from system_calls import Fault, suffered

from trl_doctor.asking import keep
from trl_doctor.asking.keep import Keeper
from trl_doctor.checkup.checkup import NOBODY, Checkup
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options
from trl_doctor.checkup.outcome import UNREACHED
from trl_doctor.checkup.report import TargetReport
from trl_doctor.checkup.session import Session
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.commands import check, examining, trust
from trl_doctor.commands.report_files import Output
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.records import RECORDS
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub
from trl_doctor.files.hub import fetch, store
from trl_doctor.files.hub.download import Outcome
from trl_doctor.files.hub.store import RemoteFile
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import environment
from trl_doctor.repair import copying
from trl_doctor.repair.writing.write import Change, write
from trl_doctor.reports.style import Style

FIXTURES = Path(__file__).parent.parent / "fixtures"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz"
ERRORS = {
    name: OSError(getattr(errno, name), os.strerror(getattr(errno, name)))
    for name in ("EIO", "ENOSPC", "EPERM")
}
WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
SESSION = Session((), WORLD, NOBODY, Options(offline=True), "error", ())
Tree = dict[str, bytes | None]
EXPECTED = (Unavailable, NoTarget, copying.CannotCopy, OSError, click.UsageError)
"""What a caller catches, and says in one line."""


def tree(folder: Path) -> Tree:
    """What a folder holds: bytes by name, None for folders."""
    by_name: Tree = {}
    for path in sorted(folder.rglob("*")):
        by_name[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    return by_name


@dataclass(frozen=True)
class Act:
    """`do` works in a folder that `plant` has made; `fine` judges what a fault left of it.

    Every so many calls fail, in turn.
    """

    do: Callable[[Path], object]
    plant: Callable[[Path], object]
    fine: Callable[[Tree, Tree, Tree, bool], bool]
    every: int = 1


def either(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    """All is as it was, or all is new; and all is new if no error was reported."""
    return left == new if done else left in (old, new)


def each_either(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    """Each file is as it was or new, and no other file is there."""
    if done and left != new:
        return False
    return left.keys() <= old.keys() | new.keys() and all(
        data in (old.get(name), new.get(name)) for name, data in left.items()
    )


# Reports

REPORTS = [TargetReport("run.json", "é", Verdict("passed", ()))]
FORMS = {"json": "r.json", "junit": "r.xml", "concise": "r.txt"}


def plant_reports(folder: Path) -> None:
    for name in (*FORMS.values(), "summary.md"):
        (folder / name).write_text("old\n")


def write_reports(folder: Path) -> None:
    os.environ["GITHUB_STEP_SUMMARY"] = str(folder / "summary.md")
    outputs = [Output(form, str(folder / name)) for form, name in FORMS.items()]
    outputs += [Output("github", str(folder / "r.github"))]
    if check.reported(SESSION, REPORTS, [], False, outputs, Style()):
        raise OSError("told")


def reports_are_fine(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    """Each report is old or whole, though it may report another that could not be written.

    What is appended to the summary of a job is a part at most.
    """
    summary = left["summary.md"] or b""
    for name in FORMS.values():
        data = left[name] or b""
        json.loads(data) if name == "r.json" and data != old[name] else None
        xml.fromstring(data) if name == "r.xml" and data != old[name] else None
    if done and left != new:
        return False
    return left.keys() <= new.keys() and (new["summary.md"] or b"").startswith(summary)


def plant_baseline(folder: Path) -> None:
    (folder / "accepted.json").write_text("old")


def write_baseline(folder: Path) -> None:
    for problem in check._baseline(folder / "accepted.json", REPORTS):
        raise OSError(problem)


# A kept folder

QUESTION = Question("probes/step.py", "step", {"hub_token": SECRET}, dict)


def plant_kept(folder: Path) -> None:
    probe = folder.parent / f"{folder.name}-probe"
    shutil.rmtree(probe, ignore_errors=True)
    (probe / "work" / "out").mkdir(parents=True)
    (probe / "work" / "out" / "state.json").write_text(f'{{"token": "{SECRET}"}}')
    (probe / "request.json").write_text(json.dumps(QUESTION.request))
    (probe / "library").mkdir()
    (probe / "library" / "host.py").write_text("x = 1\n")


def keep_folder(folder: Path) -> None:
    probe = folder.parent / f"{folder.name}-probe"
    keep.PROBES = probe / "library"
    Keeper(folder, Path("python"), {}).keep(Answer(QUESTION, "died", tail=(SECRET,)), probe)


def kept_is_fine(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    if any(SECRET.encode() in data for data in left.values() if data):
        return False
    whole = {name: data for name, data in new.items() if name.startswith("step")}
    there = {name: data for name, data in left.items() if name.startswith("step")}
    return there == whole if done else there in ({}, whole)


# A copy, an undo


def plant_run(folder: Path) -> None:
    (folder / "m").mkdir()
    (folder / "m" / "config.json").write_text('{"model_type": "llama"}')
    (folder / "run.json").write_text('{"trainer": "grpo", "model_name_or_path": "m"}')


EXAMINED: list[Checkup] = []


def plant_examined(folder: Path) -> None:
    plant_run(folder)
    EXAMINED[:] = [SESSION.examine(target(str(folder / "run.json"), offline=True))]


def copy_run(folder: Path) -> None:
    copying.copy(EXAMINED[0], folder / "copy")


def plant_repaired(folder: Path) -> None:
    plant_run(folder)
    run = folder / "run.json"
    write([Change(run, run.read_bytes(), b'{"trainer": "ppo"}')], [folder])


def undo_run(folder: Path) -> None:
    if check.undo(folder / "run.json", force=False):
        raise OSError("told")


def undo_is_fine(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    run = left["run.json"]
    beside = {name for name in left if RECORDS not in name}
    return run == new["run.json"] if done else beside == {"m", "m/config.json", "run.json"}


# Trust, and copies from the Hub


def plant_settings(folder: Path) -> None:
    (folder / "trl-doctor.toml").write_text("python = './x'\n")


def trust_folder(folder: Path) -> None:
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    if trust.trust(folder, revoke=False):
        raise OSError("told")


def trust_is_fine(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    """The record is there exactly if the command reported it."""
    files = [name for name, data in left.items() if data is not None]
    return files == [name for name, data in (new if done else old).items() if data is not None]


def resolve(folder: Path) -> None:
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    os.environ["HF_HUB_CACHE"] = str(folder / "hub")

    def asked(request: fetch.Request, seconds: float) -> Outcome:
        data = (FIXTURES / "models/healthy/config.json").read_bytes()
        (Path(request.folder) / "config.json").write_bytes(data)
        return Outcome(COMMIT, {"config.json": RemoteFile(len(data), "whole")})

    fetch._downloaded = asked
    result = hub.resolve(hub.parse("acme/tiny"), offline=False)
    assert (result.path / "config.json").is_file()


def copy_is_fine(old: Tree, new: Tree, left: Tree, done: bool) -> bool:
    """A copy that is believed is whole."""
    names = [name for name in new if name.endswith(f"{COMMIT}/config.json")]
    listed = next(name for name in new if name.endswith(store.LISTING))
    if listed.replace(COMMIT, "x") == listed or not done:
        return listed not in left or all(left.get(name) == new[name] for name in names)
    return all(left.get(name) == new[name] for name in names)


ACTS = {
    "reports": Act(write_reports, plant_reports, reports_are_fine),
    "baseline": Act(write_baseline, plant_baseline, either),
    "keep": Act(keep_folder, plant_kept, kept_is_fine),
    "fix-to": Act(copy_run, plant_examined, either),
    "undo": Act(undo_run, plant_repaired, undo_is_fine, every=9),
    "trust": Act(trust_folder, plant_settings, trust_is_fine),
    "hub": Act(resolve, lambda folder: None, copy_is_fine),
}  # fmt: skip


def endings(act: Act, ground: Path, **fault: object) -> Iterator[tuple[str, Tree]]:
    """How the act ends with the fault at each call in turn, and what that leaves."""
    for at in itertools.count(1, act.every):
        planted(act, ground)
        ended = suffered(lambda: act.do(ground), Fault(at, **fault))  # type: ignore[arg-type]
        if ended == "untouched":
            assert at > 4
            return
        yield ended, tree(ground)


def planted(act: Act, ground: Path) -> None:
    shutil.rmtree(ground, ignore_errors=True)
    ground.mkdir()
    act.plant(ground)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    return tmp_path / "ground"


def unharmed(act: Act, ground: Path) -> str:
    """How the act ends without a fault. What it imports is imported here, too, not in each fork."""
    names = ground.with_name("modules")

    def do() -> None:
        act.do(ground)
        names.write_text("\n".join(sys.modules))

    ended = suffered(do, Fault(0))
    for name in names.read_text().splitlines() if ended == "done" else ():
        with suppress(ImportError):
            import_module(name)
    return ended


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", ACTS)
def test_a_call_that_fails_leaves_all_whole(
    name: str, error: str, ground: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    act = ACTS[name]
    planted(act, ground)
    old = tree(ground)
    assert unharmed(act, ground) == "done"
    new = tree(ground)
    assert old != new
    for ended, left in endings(act, ground, error=ERRORS[error]):
        kinds = tuple(kind.__name__ for kind in EXPECTED)
        subclasses = ("PermissionError", "Error")
        assert ended == "done" or ended.startswith((*kinds, *subclasses)), ended
        assert act.fine(old, new, left, ended == "done"), (ended, left)
    assert "Traceback" not in capfd.readouterr().err


STEP = int(os.environ.get("EVERY", "11"))
"""Of the calls of an examination, every so many fail in turn; `make faults` takes each."""


@pytest.mark.parametrize("error", ["EIO", "EPERM"])
@pytest.mark.parametrize("pointed", ["models/healthy", "grpo.yaml"])
def test_an_examination_ends_well_though_a_read_fails(
    pointed: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rule crashes, and the doctor does not either, whichever file cannot be read."""
    shutil.copytree(FIXTURES, tmp_path / "work")
    monkeypatch.chdir(tmp_path)
    session = structs.replace(SESSION, rules=discover().rules)
    request = Ground.request()

    def examine() -> None:
        for entry in examining.examined(request, session, str(tmp_path / "work" / pointed)):
            crashed = [check.reason for check in entry.report.checks_in("crashed")]
            failed = [problem for problem in entry.problems if "itself failed" in problem]
            assert not crashed + failed, (crashed, failed)
            skipped = [check.reason for check in entry.report.checks_in("skipped")]
            if any(reason.startswith(UNREACHED) for reason in skipped):
                assert entry.report.verdict.lacking

    examine()
    for at in itertools.count(1 + (error == "EPERM") * STEP // 2, STEP):
        ended = suffered(examine, Fault(at, error=ERRORS[error]))
        if ended == "untouched":
            break
        assert ended == "done", (at, ended)
    assert at > 100
