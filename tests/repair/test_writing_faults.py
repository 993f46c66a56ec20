"""Killing, failing and interrupting a change, its undoing and its recovery at every step."""

from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from system_calls import Fault, changes_disk, endured, suffered, watched

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.recovery import recover
from trl_doctor.repair.writing.seal import sealed, unsealed
from trl_doctor.repair.writing.undo import undo
from trl_doctor.repair.writing.write import Change, WriteRefused, write

Tree = dict[str, "tuple[int, bytes | None]"]
"""What a folder holds, by route: the mode and the bytes, None for a folder."""

Ending = TypeVar("Ending")

OLD: Tree = {
    "model/config.json": (0o600, b'{"eos_token_id": 1}\n'),
    "model/tokenizer.json": (0o644, b"old" * 100),
    "model/templates/chat.jinja": (0o640, b"{{ old }}"),
    "run/run.json": (0o664, b'{"model": "../model"}'),
}
NEW: Tree = {
    "model/config.json": (0o600, b'{"eos_token_id": 2, "pad_token_id": 0}\n'),
    "model/tokenizer.json": (0o644, b"new!" * 100),
    "model/templates/chat.jinja": (0o640, b"{{ new }}"),
    "run/run.json": (0o664, b"{}"),
    "model/made.json": (0o644, b"made"),
}
DOORS = ("model", "run")


def change(ground: Path) -> None:
    changes = [Change(ground / name, OLD.get(name, (0, None))[1], NEW[name][1]) for name in NEW]
    write(changes, [ground / "model", ground / "run"])


def take_back(ground: Path) -> None:
    undo(ground / "run")


@dataclass(frozen=True)
class Act:
    """Something that makes `old` files `new`, started from a tree that an earlier act left."""

    do: Callable[[Path], None]
    old: Tree
    new: Tree
    earlier: Callable[[Path], None] | None = None

    def begin(self, ground: Path) -> Tree:
        shutil.rmtree(ground, ignore_errors=True)
        plant(ground, OLD)
        if self.earlier:
            self.earlier(ground)
        return grown(ground)


ACTS = {"write": Act(change, OLD, NEW), "undo": Act(take_back, NEW, OLD, earlier=change)}


@pytest.fixture(params=ACTS)
def act(request: pytest.FixtureRequest) -> Act:
    return ACTS[request.param]


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the files, in memory where there is one, and a state folder with a key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    sealed(b"")
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path / "ground"
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder) / "ground"


def plant(ground: Path, tree: Tree) -> None:
    """Make the folder hold exactly this; what already is so stays, as that is cheaper."""
    ground.mkdir(exist_ok=True)
    held = grown(ground)
    for name, (_, content) in reversed(held.items()):  # files before their folders
        if content is not None and tree.get(name) != held[name]:
            (ground / name).unlink()
        elif content is None and name not in tree:
            (ground / name).rmdir()
    for name, (mode, content) in sorted(tree.items()):
        if held.get(name) == (mode, content):
            continue
        path = ground / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content)
        path.chmod(mode)


def grown(ground: Path) -> Tree:
    """What the folder holds; asked so often that `Path` and `open` would be half of the time."""
    tree: Tree = {}
    folders = [("", str(ground))]
    for route, folder in folders:
        for entry in os.scandir(folder):
            name, status = route + entry.name, entry.stat()
            content = None
            if entry.is_dir():
                folders.append((f"{name}/", entry.path))
            else:
                descriptor = os.open(entry.path, os.O_RDONLY)
                content = os.read(descriptor, status.st_size)
                os.close(descriptor)
            tree[name] = stat.S_IMODE(status.st_mode), content
    return tree


def targets(tree: Tree) -> Tree:
    """The files outside the records."""
    return {
        name: entry for name, entry in tree.items() if RECORDS not in name and entry[1] is not None
    }


STEP = int(os.environ.get("EVERY", "4"))
"""Where reads may fail, too, every so many calls do so in turn; `make faults` takes each."""


def endings(ground: Path, act: Act, **fault: object) -> Iterator[tuple[str, Tree]]:
    """How the act ends with the fault at each call in turn, and what that leaves."""
    start = act.begin(ground)
    for at in itertools.count(1, 1 if "calls" in fault else STEP):
        plant(ground, start)
        suffer = endured if "error" in fault else suffered
        ended = suffer(lambda: act.do(ground), Fault(at, **fault))
        if ended == "untouched":
            assert at > 8
            return
        yield ended, grown(ground)


def kills(ground: Path, act: Act, start: Tree | None = None) -> list[Tree]:
    """What a kill before each call in turn leaves, all seen in one run."""
    plant(ground, start or act.begin(ground))
    trees: list[Tree] = []
    with watched(lambda name, arguments: trees.append(grown(ground))):
        act.do(ground)
    return trees


def check_each_file(tree: Tree) -> None:
    """Each file is old or new, never in between, and nothing stands beside them."""
    now = targets(tree)
    assert now.keys() <= NEW.keys()
    for name in NEW:
        assert now.get(name) in (OLD.get(name), NEW.get(name))


def check_end(ground: Path, act: Act, tree: Tree, door: str) -> None:
    """After recovery by this command all files are old or all are new, and later writes succeed."""
    plant(ground, tree)
    assert len(recover(ground / door)) <= 1
    now = targets(grown(ground))
    assert now in (OLD, NEW)
    for name in DOORS:
        assert len(recover(ground / name)) <= 1
        assert recover(ground / name) == []
    assert targets(grown(ground)) == now
    assert not unfinished(grown(ground))
    check_life(ground, act, door)


def unfinished(tree: Tree) -> bool:
    """Whether anything of a change is left, beside the files or in the records."""
    left = re.compile(rf"{RECORDS}/{UNFINISHED}$|-\d+{RECORDS}$")
    return any(left.search(name) for name in tree)


def check_life(ground: Path, act: Act, door: str) -> None:
    """What has been ended can be done, or done again, and undone."""
    if targets(grown(ground)) == act.old:
        act.do(ground)
        assert targets(grown(ground)) == act.new
    if act.new == NEW:
        undo(ground / door)
    assert targets(grown(ground)) == OLD
    for name in DOORS:
        with pytest.raises(WriteRefused, match="nothing to undo"):
            undo(ground / name)


def distinct(endings: Iterable[Ending]) -> Iterator[Ending]:
    seen = []
    for ending in endings:
        if ending not in seen:
            seen.append(ending)
            yield ending


def check_both_ends(ground: Path, act: Act, tree: Tree) -> None:
    check_each_file(tree)
    for door in DOORS:
        check_end(ground, act, tree, door)


def test_killed_at_every_call(ground: Path, act: Act) -> None:
    for tree in distinct(kills(ground, act)):
        check_both_ends(ground, act, tree)


def test_killed_in_every_write(ground: Path, act: Act) -> None:
    writes = endings(ground, act, torn=True, calls=lambda name, _: name == "write")
    for ended, tree in distinct(writes):
        assert ended == "killed"
        check_both_ends(ground, act, tree)


def test_a_kill_leaves_what_was_seen_before_the_call(ground: Path, act: Act) -> None:
    start = act.begin(ground)
    trees = kills(ground, act, start)
    for at in range(1, len(trees) + 1, 10 * STEP):
        plant(ground, start)
        assert suffered(lambda: act.do(ground), Fault(at)) == "killed"
        assert grown(ground) == trees[at - 1]


FAULTS = {
    "disk error": {"error": OSError(errno.EIO, "Input/output error")},
    "denied, though done": {
        "error": OSError(errno.EACCES, "Permission denied"),
        "after": True,
        "calls": changes_disk,
    },
    "interrupted": {"error": KeyboardInterrupt(), "calls": changes_disk},
}
LASTING = {
    "full disk": {"error": OSError(errno.ENOSPC, "No space left on device")},
    "interrupted again and again": {"error": KeyboardInterrupt()},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failed_at_every_call(ground: Path, act: Act, fault: str) -> None:
    for ended, tree in distinct(endings(ground, act, **FAULTS[fault])):
        if ended.startswith("WriteRefused"):
            assert targets(tree) == act.old
            assert not unfinished(tree)
        elif ended == "done":
            assert targets(tree) == act.new
        else:
            assert ended.startswith("KeyboardInterrupt")
            assert targets(tree) in (act.old, act.new)
        check_end(ground, act, tree, DOORS[0])


@pytest.mark.parametrize("fault", LASTING)
def test_failed_from_every_call_on(ground: Path, act: Act, fault: str) -> None:
    faults = LASTING[fault] | {"calls": changes_disk, "lasting": True}
    for ended, tree in distinct(endings(ground, act, **faults)):
        check_both_ends(ground, act, tree)
        if "all is as it was" in ended:
            assert targets(tree) == act.old
        elif targets(tree) not in (OLD, NEW):
            assert "the next trl-doctor here undoes it" in ended or "Interrupt" in ended


@pytest.mark.parametrize("fault", FAULTS)
def test_recovery_failed_at_every_call(ground: Path, fault: str) -> None:
    write_act = ACTS["write"]
    trees = kills(ground, write_act)
    half = next(tree for tree in trees if targets(tree) not in (OLD, NEW))
    recovery = Act(lambda ground: recover(ground / "run"), OLD, NEW, lambda g: plant(g, half))
    for ended, tree in distinct(endings(ground, recovery, **FAULTS[fault])):
        assert ended.partition(":")[0] in ("WriteRefused", "done", "KeyboardInterrupt")
        check_each_file(tree)
        check_end(ground, write_act, tree, "model")


def test_recovery_where_there_is_nothing_to_recover_is_one_look(ground: Path) -> None:
    ACTS["undo"].begin(ground)
    calls: list[str] = []
    with watched(lambda name, arguments: calls.append(name)):
        assert recover(ground / "model") == []
    assert calls == ["lstat"]


def test_the_key_is_made_whole_however_often_that_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for at in itertools.count(1):
        shutil.rmtree(tmp_path / "state", ignore_errors=True)
        for last in (at, at + 1):
            ended = suffered(lambda: sealed(b"text"), Fault(last, torn=True))
        assert unsealed(sealed(b"text")) == b"text"
        if ended == "untouched":
            break
    assert at > 8


def test_undo_takes_back_what_was_interrupted(ground: Path, act: Act) -> None:
    for tree in distinct(kills(ground, act)):
        for door in DOORS:
            plant(ground, tree)
            try:
                undo(ground / door)
            except WriteRefused as refused:
                elsewhere = "nothing to undo|undo it there|to be finished or deleted first"
                own = f"{door}/{RECORDS}/{UNFINISHED}" in tree
                assert re.search("before it began" if own else elsewhere, refused.reason)
                recover(ground / "model")
                if targets(grown(ground)) == NEW:
                    undo(ground / door)
            assert targets(grown(ground)) == OLD


def test_an_undo_that_recovery_ends_leaves_nothing_behind(ground: Path) -> None:
    trees = kills(ground, ACTS["undo"])
    plant(ground, next(tree for tree in trees if targets(tree) not in (OLD, NEW)))
    assert len(recover(ground / "model")) == 1
    assert not [name for name in grown(ground) if RECORDS in name]


class Disk:
    """What would be left of a folder if the power went: only what was synced, and whole.

    A file has the bytes, and a folder the names, of its last fsync.
    """

    def __init__(self, ground: Path) -> None:
        self.ground = ground
        self.files: dict[int, tuple[int, bytes]] = {}
        self.folders: dict[int, dict[str, tuple[int, int]]] = {}
        self.news = True
        for path in (ground, *ground.rglob("*")):
            self.sync(path)

    def sync(self, path: Path) -> None:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            self.folders[status.st_ino] = {
                entry.name: (entry.inode(), entry.stat().st_mode) for entry in os.scandir(path)
            }
        else:
            self.files[status.st_ino] = stat.S_IMODE(status.st_mode), path.read_bytes()

    def then(self, name: str, arguments: tuple[object, ...], result: object) -> None:
        """Follow a call: what is new has nothing on disk, though its number may be an old one."""
        self.news |= name in ("fsync", "open", "mkdir")
        if name == "fsync":
            self.sync(Path(f"/proc/self/fd/{arguments[0]}").resolve())
        elif name == "open" and arguments[1] & os.O_EXCL:
            self.files.pop(os.fstat(result).st_ino, None)
        elif name == "mkdir":
            numbers = {number for names in self.folders.values() for number, _ in names.values()}
            for path in self.ground.rglob("*"):
                if path.is_dir() and path.stat().st_ino not in numbers:
                    self.folders[path.stat().st_ino] = {}

    def left(self, thorough: bool) -> Iterator[Tree]:
        """What can be left: of all that was not synced nothing (unless the last look saw that),
        and if thorough one thing, or all but one."""
        ground = self.ground.stat().st_ino
        if self.news:
            yield dict(self.beneath(ground, ""))
        self.news = False
        if thorough:
            now = Disk(self.ground)
            folders = {n for n in now.folders if now.folders[n] != self.folders.get(n)}
            files = {n for n in now.files if now.files[n] != self.files.get(n)}
            for folder in folders | files:
                for kept in ({folder}, (folders | files) - {folder}):
                    disk = copy(self)
                    disk.folders = self.folders | {n: now.folders[n] for n in folders & kept}
                    disk.files = self.files | {n: now.files[n] for n in files & kept}
                    yield dict(disk.beneath(ground, ""))

    def beneath(self, folder: int, route: str) -> Iterator[tuple[str, tuple[int, bytes | None]]]:
        for name, (number, mode) in self.folders.get(folder, {}).items():
            if stat.S_ISDIR(mode):
                yield route + name, (stat.S_IMODE(mode), None)
                yield from self.beneath(number, f"{route}{name}/")
            else:
                yield route + name, self.files.get(number, (0o600, b""))


def futures(
    ground: Path, tree: Tree, act: Callable[[], object], fault: Fault | None = None
) -> list[Tree]:
    """What a kill or a power cut anywhere in an act can leave, or in what a fault makes it."""
    plant(ground, tree)
    disk = Disk(ground)
    trees = []

    def look(name: str = "", arguments: tuple[object, ...] = ()) -> None:
        if not name or changes_disk(name, arguments):
            if name != "fsync":  # which leaves what the next look sees
                trees.append(grown(ground))
            trees.extend(disk.left(thorough=not unfinished(tree)))
        if fault:
            fault.before(name, arguments)

    with watched(look, disk.then), suppress(WriteRefused) if fault else nullcontext():
        act()
    look()
    return trees


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_killed_or_cut_off_again_and_again(ground: Path, act: Act) -> None:
    """Recovery is killed, or loses power, at every step, and so is the recovery from that."""
    start = act.begin(ground)
    failing = Fault(
        5, OSError(errno.EIO, "the third file"), calls=lambda name, _: name == "replace"
    )
    todo = futures(ground, start, lambda: act.do(ground), failing)
    assert targets(grown(ground)) == act.old
    todo += futures(ground, start, lambda: act.do(ground))
    seen: set[frozenset[tuple[str, tuple[int, bytes | None]]]] = set()
    while todo:
        tree = todo.pop()
        if frozenset(tree.items()) in seen:
            continue
        seen.add(frozenset(tree.items()))
        check_each_file(tree)
        if not unfinished(tree):
            plant(ground, tree)
            check_life(ground, act, DOORS[len(seen) % 2])
            continue
        door = DOORS[len(seen) % 2]
        todo += futures(ground, tree, lambda door=door: recover(ground / door))
        decided = f"model/{RECORDS}/{UNFINISHED}/committed" in tree
        assert targets(grown(ground)) in ((act.new,) if decided else (act.old, act.new))
    assert len(seen) > 200


OBSERVED = """
import os, pathlib, sys
import test_writing_faults as faults
ground = pathlib.Path(sys.argv[1])
faults.plant(ground, faults.OLD)
calls = []
with faults.watched(lambda name, arguments: calls.append((name, arguments))):
    os.stat("/begin")
    faults.change(ground)
    os.stat("/end")
print(sum(faults.changes_disk(name, arguments) and name != "fsync" for name, arguments in calls))
"""


def traced(log: Path, *command: str) -> subprocess.CompletedProcess[str]:
    folders = (str(folder) for folder in Path(__file__).parents[:2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    trace = ["strace", "-f", "-o", str(log), sys.executable, "-B", "-c", *command]
    return subprocess.run(trace, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
def test_the_faults_reach_every_call_that_changes_the_disk(ground: Path, tmp_path: Path) -> None:
    log = tmp_path / "trace"
    if traced(log, "pass").returncode:
        pytest.skip("strace may not trace here")
    process = traced(log, OBSERVED.replace('os.stat("/', 'os.path.exists("/'), str(ground))
    assert process.returncode == 0, process.stderr
    text = log.read_text()
    between = text[text.index('"/begin"') : text.index('"/end"')]
    changing = r"write|p?writev?\d*|rename\w*|unlink\w*|mkdir\w*|rmdir|f?ch(mod|own)\w*|link\w*"
    calls = re.findall(rf"^\d+ +(?:(?:{changing})\(|openat\(.*O_CREAT)", between, re.MULTILINE)
    assert len(calls) == int(process.stdout) > 40
