"""Records that came with a download gain nothing: they have no seal of this user's key."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from writing_ground import NEW, OLD, config, held, in_child

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.directory import digest
from trl_doctor.repair.writing.journal import Entry, Journal
from trl_doctor.repair.writing.recovery import recover
from trl_doctor.repair.writing.seal import KEY, sealed, state_folder, unsealed
from trl_doctor.repair.writing.undo import undo
from trl_doctor.repair.writing.write import WriteRefused, write

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
    except WriteRefused as refused:
        if "so nothing in it is believed" in refused.reason:
            assert held(model) == shipped
            with pytest.raises(WriteRefused, match="to be finished or deleted first"):
                write([config(model)])
    for force in (False, True):
        with pytest.raises(WriteRefused):
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
    with pytest.raises(WriteRefused, match="set XDG_STATE_HOME to a folder of yours"):
        write([config(model)])
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_STATE_HOME", "HOME"):
            patch.delenv(name, raising=False)
        patch.setattr(os, "getuid", lambda: 4_000_000_000)
        with pytest.raises(WriteRefused, match="set XDG_STATE_HOME to a folder of yours"):
            write([config(model)])
    state.unlink()
    (state / "trl-doctor").mkdir(parents=True)
    (state / "trl-doctor" / KEY).write_bytes(b"short")
    with pytest.raises(WriteRefused, match="is not a key of 32 bytes"):
        write([config(model)])
    assert held(model) == was
