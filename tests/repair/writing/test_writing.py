"""Files are changed together or not at all; what may not be changed is refused."""

from __future__ import annotations

import fcntl
import os
import re
import resource
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from writing_ground import FSYNC, NEW, OLD, config, held, in_child

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.journal import locked_home
from trl_doctor.repair.writing.recovery import recover
from trl_doctor.repair.writing.seal import sealed
from trl_doctor.repair.writing.undo import undo
from trl_doctor.repair.writing.write import Change, Receipt, WriteRefused, refusals, write

# What a write does


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o2664])
def test_mode_and_owner_stay(model: Path, mode: int) -> None:
    path = model / "config.json"
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    path.chmod(mode)
    was = path.stat()
    for act in (lambda: write([config(model)]), lambda: undo(model)):
        act()
        now = path.stat()
        assert (now.st_mode, now.st_uid, now.st_gid) == (was.st_mode, was.st_uid, was.st_gid)
    assert path.read_bytes() == OLD


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_a_file_of_another_user() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o777)
        for name, mode in (("config.json", 0o6666), ("closed.json", 0o644)):
            (folder / name).write_bytes(OLD)
            (folder / name).chmod(mode)

        def write_as_nobody(name: str) -> None:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.environ["XDG_STATE_HOME"] = str(folder / "state")
            write([Change(folder / name, OLD, NEW)])

        assert "is not yours to write" in in_child(lambda: write_as_nobody("closed.json"))
        assert in_child(lambda: write_as_nobody("config.json")) == "done"
        status = (folder / "config.json").stat()
        assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (65534, 0o666)


def test_files_of_several_folders_change_together(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", FSYNC)
    run, template = tmp_path / "run.json", model / "templates" / "chat.jinja"
    run.write_bytes(b"{}")
    template.parent.mkdir()
    template.write_bytes(b"old")
    was = held(model)
    changes = [
        config(model),
        Change(run, b"{}", b"[]"),
        Change(template, b"old", b"new"),
        Change(model / "made.json", None, b"made"),
    ]
    receipt = write(changes, [model, tmp_path])
    assert receipt.files == tuple(change.path for change in changes)
    assert all(change.path.read_bytes() == change.after for change in changes)
    assert receipt.kept == (model / RECORDS, tmp_path / RECORDS)
    assert all((kept / ".gitignore").read_text() == "*\n" for kept in receipt.kept)
    assert not (template.parent / RECORDS).exists()
    beside = {name for name in held(model) if RECORDS not in name}
    assert beside == {*was, "made.json"}
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((model / "made.json").stat().st_mode) == 0o666 & ~umask
    undo(tmp_path)
    assert held(model) == was
    assert run.read_bytes() == b"{}" and not (tmp_path / RECORDS).exists()


def test_what_is_equal_is_not_written(model: Path) -> None:
    was = held(model)
    assert write([config(model, OLD, OLD)]) == Receipt(())
    assert held(model) == was


def test_the_users_own_links_to_a_folder_are_followed(model: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(model)
    assert write([config(link)], [link]).files == (model / "config.json",)
    assert undo(link).files == (model / "config.json",)


# What it refuses


def symbolic_link(model: Path) -> None:
    (model / "config.json").rename(model / "real.json")
    (model / "config.json").symlink_to("real.json")


def link_into_the_cache(model: Path) -> None:
    blob = model.parent / "huggingface/hub/models--a--b/blobs/1"
    blob.parent.mkdir(parents=True)
    (model / "config.json").rename(blob)
    (model / "config.json").symlink_to(blob)


def linked_folder(model: Path) -> None:
    (model / "real").mkdir()
    (model / "config.json").rename(model / "real/config.json")
    (model / "sub").symlink_to("real")


def hard_link(model: Path) -> None:
    (model / "twin.json").hardlink_to(model / "config.json")


def fifo(model: Path) -> None:
    (model / "config.json").unlink()
    os.mkfifo(model / "config.json")


def folder_in_its_place(model: Path) -> None:
    (model / "config.json").unlink()
    (model / "config.json").mkdir()


REFUSED: dict[str, tuple[Callable[[Path], object], Change, str]] = {
    "link": (symbolic_link, config(Path()), "is a symbolic link; --fix-to DIR makes"),
    "cache link": (link_into_the_cache, config(Path()), "is a symbolic link into the Hub's cache;"),
    "linked folder": (linked_folder, config(Path("sub")), "is below"),
    "hard link": (hard_link, config(Path()), "has 2 hard links"),
    "FIFO": (fifo, config(Path()), "is not a regular file"),
    "folder": (folder_in_its_place, config(Path()), "is a folder"),
    "read-only file": (
        lambda model: (model / "config.json").chmod(0o444),
        config(Path()),
        "is read-only",
    ),
    "read-only folder": (lambda model: model.chmod(0o555), config(Path()), "which is read-only"),
    "changed": (
        lambda model: (model / "config.json").write_bytes(NEW.upper()),
        config(Path()),
        "changed since it was examined",
    ),
    "gone": (lambda model: (model / "config.json").unlink(), config(Path()), "is gone"),
    "made": (lambda model: None, config(Path(), before=None), "was made since"),
    "no folder": (lambda model: None, config(Path("none"), before=None), "does not exist"),
    "outside": (lambda model: None, config(Path("..")), "leads out of"),
    "records": (lambda model: None, config(Path(RECORDS)), "into the records"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(model: Path, case: str) -> None:
    prepare, change, reason = REFUSED[case]
    prepare(model)
    was = held(model)
    good = Change(model / "tokenizer.json", b"tokens", b"new tokens")
    bad = Change(model / change.path, change.before, change.after)
    reasons = {refused.path: refused.reason for refused in refusals([good, bad], [model])}
    assert reason in reasons[bad.path]
    assert reasons.keys() == {bad.path} or case == "read-only folder"
    with pytest.raises(WriteRefused, match=re.escape(reason)):
        write([good, bad], [model])
    assert held(model) == was
    model.chmod(0o755)


def test_refused_in_a_hub_cache_by_its_place_or_its_layout(tmp_path: Path) -> None:
    for place in ("huggingface/hub/models--a--b/refs", "copied/models--a--b/snapshots/1a2b"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder.parent.parent / "blobs").mkdir(exist_ok=True)
        (folder / "config.json").write_bytes(OLD)
        with pytest.raises(WriteRefused, match="is in the Hub's cache"):
            write([config(folder)])
        assert not (folder / RECORDS).exists()


def test_a_file_named_twice_is_refused(model: Path) -> None:
    with pytest.raises(WriteRefused, match="is to be changed twice"):
        write([config(model), config(model)])


def test_of_two_at_once_the_second_is_refused_and_a_dead_one_holds_nothing(model: Path) -> None:
    with locked_home(model) as home:
        home.records.make(UNFINISHED)
        for act in (lambda: write([config(model)]), lambda: recover(model), lambda: undo(model)):
            assert "is being changed by another trl-doctor right now" in in_child(act)

    def die() -> None:
        with locked_home(model):
            os.kill(os.getpid(), 9)

    assert in_child(die) == ""
    assert recover(model) == ["Cleared away a change that was interrupted before it began."]
    assert not (model / RECORDS).exists()
    assert write([config(model)]).files


def test_a_lock_whose_file_was_just_removed_is_none(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        (model / RECORDS / "lock").unlink(missing_ok=True)
        flock(descriptor, operation)

    sealed(b"")
    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(WriteRefused, match="is being changed by another trl-doctor right now"):
        write([config(model)])


def test_a_file_changed_while_it_is_being_written_stays(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = []

    def meanwhile(descriptor: int) -> None:
        (model / "tokenizer.json").write_bytes(b"by hand")
        decided.append((model / RECORDS / UNFINISHED / "committed").exists())

    sealed(b"")
    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(WriteRefused, match="was changed by somebody else meanwhile") as raised:
        write([config(model), Change(model / "tokenizer.json", b"tokens", b"new tokens")])
    assert raised.value.path == model / "tokenizer.json"
    assert not any(decided)
    assert {name: content for name, (_, content) in held(model).items()} == {
        "config.json": OLD,
        "tokenizer.json": b"by hand",
    }


def test_a_limit_on_file_size_leaves_all_as_it_was(model: Path) -> None:
    was = held(model)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        write(
            [
                Change(model / "tokenizer.json", b"tokens", b"t" * 4000),
                config(model, OLD, b"c" * 9999),
            ]
        )

    message = in_child(limited)
    assert (
        message == f"WriteRefused: {model} could not be changed: File too large; all is as it was"
    )
    assert held(model) == was


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_disk / "tokenizer.json"
    path.write_bytes(b"t" * 600_000)
    change = Change(path, path.read_bytes(), b"n" * 900_000)
    was = held(small_disk)
    with pytest.raises(WriteRefused, match=r"has 1\.5 MB free; 2\.5 MB are needed"):
        write([change])
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((4096, 4096, *[1 << 30] * 9)))
    with pytest.raises(WriteRefused, match="No space left on device; all is as it was"):
        write([change])
    assert held(small_disk) == was
