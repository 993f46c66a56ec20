"""What a write promises, what it refuses, what undo restores, and what a hostile record gains."""

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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.directory import digest
from trl_doctor.repair.writing.journal import Entry, Journal, locked_home
from trl_doctor.repair.writing.recovery import recover
from trl_doctor.repair.writing.seal import KEY, sealed, state_folder, unsealed
from trl_doctor.repair.writing.undo import undo
from trl_doctor.repair.writing.write import Change, Receipt, Refused, refusals, write

FSYNC = os.fsync
OLD, NEW = b'{"eos_token_id": 1}\n', b'{"eos_token_id": 2}\n'


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    return tmp_path / "state"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_bytes(OLD)
    (model / "tokenizer.json").write_bytes(b"tokens")
    return model


def held(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """All that a folder holds, links and records included: mode, and bytes or target."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: bytes | str = "not a file"
        if path.is_symlink():
            content = str(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = status.st_mode, content
    return found


def config(model: Path, before: bytes | None = OLD, after: bytes | None = NEW) -> Change:
    return Change(model / "config.json", before, after)


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
    done = write(changes, [model, tmp_path])
    assert done.files == tuple(change.path for change in changes)
    assert all(change.path.read_bytes() == change.after for change in changes)
    assert done.kept == (model / RECORDS, tmp_path / RECORDS)
    assert all((kept / ".gitignore").read_text() == "*\n" for kept in done.kept)
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
    "linked folder": (linked_folder, config(Path("sub")), "lies beneath"),
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
    found = {refused.path: refused.reason for refused in refusals([good, bad], [model])}
    assert reason in found[bad.path]
    assert found.keys() == {bad.path} or case == "read-only folder"
    with pytest.raises(Refused, match=re.escape(reason)):
        write([good, bad], [model])
    assert held(model) == was
    model.chmod(0o755)


def test_refused_in_a_hub_cache_by_its_place_or_its_layout(tmp_path: Path) -> None:
    for place in ("huggingface/hub/models--a--b/refs", "copied/models--a--b/snapshots/1a2b"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder.parent.parent / "blobs").mkdir(exist_ok=True)
        (folder / "config.json").write_bytes(OLD)
        with pytest.raises(Refused, match="lies in the Hub's cache"):
            write([config(folder)])
        assert not (folder / RECORDS).exists()


def test_a_file_named_twice_is_refused(model: Path) -> None:
    with pytest.raises(Refused, match="is to be changed twice"):
        write([config(model), config(model)])


def in_child(act: Callable[[], object]) -> str:
    """What an act in another process says: "done", or the refusal."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "done"
        try:
            act()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


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
    with pytest.raises(Refused, match="is being changed by another trl-doctor right now"):
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
    with pytest.raises(Refused, match="was changed by somebody else meanwhile") as raised:
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

    said = in_child(limited)
    assert said == f"Refused: {model} could not be changed: File too large; all is as it was"
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
    with pytest.raises(Refused, match=r"has 1\.5 MB free; 2\.5 MB are needed"):
        write([change])
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((4096, 4096, *[1 << 30] * 9)))
    with pytest.raises(Refused, match="No space left on device; all is as it was"):
        write([change])
    assert held(small_disk) == was


# What undo restores


def test_undo_goes_back_step_by_step_and_leaves_nothing(model: Path) -> None:
    was = held(model)
    for before, after in ((OLD, b"1"), (b"1", b"2"), (b"2", None), (None, b"3")):
        write([config(model, before, after)])
    for content in (None, b"2", b"1", OLD):
        undo(model)
        path = model / "config.json"
        assert (path.read_bytes() if path.exists() else None) == content
    assert held(model) == was
    with pytest.raises(Refused, match="has nothing to undo"):
        undo(model)


def test_undo_refuses_what_changed_since_unless_forced(model: Path) -> None:
    write([config(model), Change(model / "made.json", None, b"made")])
    (model / "config.json").write_bytes(b"by hand")
    was = held(model)
    with pytest.raises(Refused, match="has changed since; --force") as raised:
        undo(model)
    assert raised.value.path == model / "config.json"
    assert held(model) == was
    undo(model, force=True)
    assert (model / "config.json").read_bytes() == OLD
    assert not (model / "made.json").exists()
    kept = [content for _, content in held(model / RECORDS).values()]
    assert b"by hand" in kept
    with pytest.raises(Refused, match="has nothing to undo"):
        undo(model)


def test_undo_refuses_what_a_write_refuses(model: Path) -> None:
    write([config(model)])
    (model / "config.json").chmod(0o444)
    for force in (False, True):
        with pytest.raises(Refused, match="is read-only"):
            undo(model, force)
    assert (model / "config.json").read_bytes() == NEW


def test_undo_where_the_folder_has_moved_or_been_copied(model: Path, tmp_path: Path) -> None:
    write([config(model)])
    moved = model.rename(tmp_path / "moved")
    assert undo(moved).files == (moved / "config.json",)
    (tmp_path / "run.json").write_bytes(b"{}")
    write([config(moved), Change(tmp_path / "run.json", b"{}", b"[]")])
    shutil.copytree(moved, tmp_path / "copy")
    with pytest.raises(Refused, match="was moved or copied since"):
        undo(tmp_path / "copy")
    assert (tmp_path / "copy/config.json").read_bytes() == NEW
    shutil.rmtree(moved)
    with pytest.raises(Refused, match="is gone; its files changed together"):
        undo(tmp_path)
    assert (tmp_path / "run.json").read_bytes() == b"[]"


ACTS = st.lists(
    st.none() | st.dictionaries(st.sampled_from("abc"), st.sampled_from([b"", b"1", b"2", None])),
    max_size=8,
)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(acts=ACTS)
def test_undo_is_the_inverse_of_write(tmp_path: Path, acts: list[dict | None]) -> None:
    """Any course of writes (dicts) and undos (None) ends as a stack of states does."""
    ground = tmp_path / "ground"
    shutil.rmtree(ground, ignore_errors=True)
    (ground / "sub").mkdir(parents=True)
    paths = {"a": ground / "a", "b": ground / "b", "c": ground / "sub" / "c"}
    states: list[dict[str, bytes | None]] = [dict.fromkeys(paths)]
    for act in acts:
        now = states[-1]
        if act is None and len(states) == 1:
            with pytest.raises(Refused, match="has nothing to undo"):
                undo(ground)
        elif act is None:
            states.pop()
            undo(ground)
        elif write(
            [Change(paths[name], now[name], after) for name, after in act.items()], [ground]
        ).files:
            states.append(now | act)
        found = {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}
        assert found == states[-1]
        assert (ground / RECORDS).exists() == (len(states) > 1)


# What a hostile record gains: nothing. `.trl-doctor` may come with a downloaded model.

FINISHED = f"000001-{'0' * 16}"


def journal(name: str = "config.json", *folders: str) -> Journal:
    """A journal of one file, in the last of the folders."""
    entry = Entry(max(len(folders) - 1, 0), name, digest(OLD), digest(NEW))
    return Journal("0" * 16, folders or (".",), (entry,))


def foreign(journal: Journal) -> bytes:
    """The journal as another user would have sealed it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state_folder() / "another"))
        return journal.text()


def plant(part: Path, text: bytes) -> None:
    """A record that would put NEW in place of OLD, or undone OLD in place of NEW."""
    part.mkdir(parents=True)
    for file, content in (("journal", text), ("0.old", OLD), ("committed", b"")):
        (part / file).write_bytes(content)
    if part.name == UNFINISHED:
        (part.parent.parent / f".{'0' * 16}-0{RECORDS}").write_bytes(NEW)


def contents(part: Path) -> list[Path]:
    """The original, and the new content where it waits beside its file."""
    return [part / "0.old", *part.parent.parent.glob(f".0*{RECORDS}")]


def links(*paths: Path, away: Path) -> None:
    """Move things away, and put links to them in their places."""
    for path in paths:
        path.rename(away / path.name)
        path.symlink_to(away / path.name)


Attack = Callable[[Path, Path], object]
"""What is done to a record (its folder is given) that this user's own key has sealed, with a
folder of the user's that is none of its business."""

ALTERED: dict[str, Attack] = {
    "no seal": lambda part, away: (part / "journal").write_bytes(
        journal().text().split(b"\n", 1)[1]
    ),
    "an empty seal": lambda part, away: (part / "journal").write_bytes(b"\n{}"),
    "another user's seal": lambda part, away: (part / "journal").write_bytes(foreign(journal())),
    "one letter more": lambda part, away: (part / "journal").write_bytes(journal().text() + b" "),
    "too long": lambda part, away: (part / "journal").write_bytes(b" " * (1 << 20) + b" "),
    "no text": lambda part, away: (part / "journal").write_bytes(b""),
    "other files": lambda part, away: (part / "journal").rename(part / "thesis.tex"),
    "a FIFO": lambda part, away: ((part / "journal").unlink(), os.mkfifo(part / "journal")),
    "other contents": lambda part, away: [path.write_bytes(b"evil") for path in contents(part)],
    "no contents": lambda part, away: [path.unlink() for path in contents(part)],
    "linked contents": lambda part, away: links(*contents(part), away=away),
    "twin contents": lambda part, away: [
        (away / path.name).hardlink_to(path) for path in contents(part)
    ],
    "linked journal": lambda part, away: links(part / "journal", away=away),
    "linked record": lambda part, away: links(part, away=away),
    "linked records": lambda part, away: links(part.parent, away=away),
    "linked lock": lambda part, away: (part.parent / "lock").symlink_to(away / "secret"),
}
LEADING: dict[str, Callable[[Path, Path], Journal]] = {
    "up": lambda model, away: journal("../away/secret"),
    "down and up": lambda model, away: journal("sub/../../away/secret"),
    "from the root": lambda model, away: journal(str(away / "secret")),
    "to the folder": lambda model, away: journal("."),
    "nowhere": lambda model, away: journal(""),
    "into the records": lambda model, away: journal(f"{RECORDS}/lock"),
    "through a link": lambda model, away: journal("link/secret"),
    "to a folder without a record": lambda model, away: journal("secret", str(model), str(away)),
    "to a folder with another record": lambda model, away: (
        [
            plant(away / RECORDS / record.name, journal("secret", str(away)).text())
            for record in (model / RECORDS).iterdir()
        ],
        journal("secret", str(model), str(away)),
    )[1],
    "to other folders": lambda model, away: journal("secret", str(away), str(away)),
    "by its id": lambda model, away: replace(journal(), id="../away/secret"),
    "to no folder": lambda model, away: replace(journal(), folders=()),
}
LEADS: dict[str, Attack] = {
    f"leads {where}": lambda part, away, of=of: (part / "journal").write_bytes(
        of(part.parent.parent, away).text()
    )
    for where, of in LEADING.items()
}
HOSTILE = ALTERED | LEADS
TAKEN_BACK = {
    "other contents",
    "no contents",
    "linked contents",
    "twin contents",
    "leads through a link",
    "leads to a folder without a record",
    "leads to a folder with another record",
}
"""Records that are believed, and whose change cannot be finished."""


@pytest.mark.parametrize("record", [UNFINISHED, FINISHED], ids=["unfinished", "finished"])
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_record_gains_nothing(
    model: Path, tmp_path: Path, case: str, record: str
) -> None:
    away, content = tmp_path / "away", OLD if record == UNFINISHED else NEW
    away.mkdir()
    (away / "secret").write_bytes(content)
    (model / "config.json").write_bytes(content)
    (model / "link").symlink_to(away)
    plant(model / RECORDS / record, journal().text())
    HOSTILE[case](model / RECORDS / record, away)
    was, shipped = held(away), held(model)
    try:
        assert recover(model) == [] or case in TAKEN_BACK
    except Refused as refused:
        if "so nothing in it is believed" in refused.reason:
            assert held(model) == shipped
            with pytest.raises(Refused, match="to be finished or deleted first"):
                write([config(model)])
    for force in (False, True):
        with pytest.raises(Refused):
            undo(model, force)
    now = held(away)
    assert now.keys() - was.keys() <= {f"{RECORDS}/lock", f"{RECORDS}/.gitignore"}
    assert {name: now[name] for name in was} == was
    assert (model / "config.json").read_bytes() == content


@pytest.mark.parametrize("record", [UNFINISHED, FINISHED])
def test_the_same_record_unaltered_is_believed(model: Path, record: str) -> None:
    plant(model / RECORDS / record, journal().text())
    assert recover(model) == (
        ["Finished a change of config.json that had been interrupted."] * (record == UNFINISHED)
    )
    (model / "config.json").write_bytes(NEW)
    undo(model)
    assert held(model).keys() == {"config.json", "tokenizer.json"}
    assert (model / "config.json").read_bytes() == OLD


def test_what_waits_for_a_file_that_is_new_already_is_removed(model: Path) -> None:
    plant(model / RECORDS / UNFINISHED, journal().text())
    (model / "config.json").write_bytes(NEW)
    assert recover(model) == ["Finished a change of config.json that had been interrupted."]
    assert {name for name in held(model) if "/" not in name} == {
        RECORDS,
        "config.json",
        "tokenizer.json",
    }


def test_a_file_changed_after_the_interruption_is_not_overwritten(model: Path) -> None:
    plant(model / RECORDS / UNFINISHED, journal().text())
    (model / "config.json").write_bytes(b"by hand")
    assert recover(model)[1] == "config.json has changed since and stays as it is."
    assert (model / "config.json").read_bytes() == b"by hand"
    assert not (model / RECORDS).exists()


# The key


def test_the_key_is_private_and_one(state: Path) -> None:
    sealed_by_others = [in_child(lambda: sealed(b"text")) for _ in range(3)]
    assert sealed_by_others == ["done"] * 3
    assert unsealed(sealed(b"text")) == b"text"
    assert stat.S_IMODE((state / "trl-doctor" / KEY).stat().st_mode) == 0o600
    assert stat.S_IMODE((state / "trl-doctor").stat().st_mode) == 0o700


def test_without_a_key_nothing_is_written(model: Path, state: Path) -> None:
    state.write_bytes(b"a file where the folder should be")
    was = held(model)
    with pytest.raises(Refused, match="set XDG_STATE_HOME to a folder of yours"):
        write([config(model)])
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_STATE_HOME", "HOME"):
            patch.delenv(name, raising=False)
        patch.setattr(os, "getuid", lambda: 4_000_000_000)
        with pytest.raises(Refused, match="set XDG_STATE_HOME to a folder of yours"):
            write([config(model)])
    state.unlink()
    (state / "trl-doctor").mkdir(parents=True)
    (state / "trl-doctor" / KEY).write_bytes(b"short")
    with pytest.raises(Refused, match="is not a key of 32 bytes"):
        write([config(model)])
    assert held(model) == was
