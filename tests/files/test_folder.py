"""The files of a folder, also missing, broken and unreachable ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path, "my/model")


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user who may read nothing; tests often run as root, who may read all."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_is_there_and_is_read_once(folder: Folder) -> None:
    folder.file("config.json").write_text('{"model_type": "llama"}')
    first = folder.document("config.json")
    folder.file("config.json").write_text("{}")
    assert folder.has("config.json")
    assert first.mapping() == {"model_type": "llama"}
    assert folder.document("config.json") is first
    assert folder.get("config.json") is first


def test_a_file_that_is_not_there(folder: Folder) -> None:
    assert not folder.has("config.json")
    assert folder.get("config.json") is None
    with pytest.raises(Unavailable, match=r"^there is no config\.json$"):
        folder.document("config.json")


def test_the_same_reason_is_given_again(folder: Folder) -> None:
    folder.file("config.json").write_text("{")
    with pytest.raises(Unreadable) as first:
        folder.document("config.json")
    folder.file("config.json").write_text("{}")
    with pytest.raises(Unreadable) as second:
        folder.document("config.json")
    assert first.value is second.value
    assert first.value.line == 1


@pytest.mark.parametrize("name", ["config.json", "folder/config.json", "file/config.json"])
def test_what_is_no_regular_file_is_not_there(folder: Folder, name: str) -> None:
    folder.file("folder").mkdir()
    folder.file("file").write_text("")
    if name == "config.json":
        folder.file(name).mkdir()
    assert not folder.has(name)


def test_a_named_pipe_is_not_waited_for(folder: Folder) -> None:
    os.mkfifo(folder.file("config.json"))
    assert not folder.has("config.json")
    with pytest.raises(Unavailable):
        folder.document("config.json")


def test_links_are_followed_and_broken_ones_reported(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "blob").write_text("{}")
    folder.file("config.json").symlink_to("blob")
    folder.file("tokenizer.json").symlink_to("no-blob")
    assert folder.document("config.json").mapping() == {}
    assert not folder.has("tokenizer.json")
    with pytest.raises(
        Unavailable,
        match=r"tokenizer\.json is a link to a file that "
        r"does not exist",
    ):
        folder.document("tokenizer.json")


def test_a_loop_of_links_is_a_reason(folder: Folder) -> None:
    folder.file("config.json").symlink_to("config.json")
    for ask in (folder.has, folder.get, folder.document):
        with pytest.raises(Unavailable, match=r"config\.json cannot be reached"):
            ask("config.json")


@pytest.mark.parametrize("name", ["n" * 5000, "config\0.json"])
def test_a_name_that_no_file_can_have_is_a_reason(folder: Folder, name: str) -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        folder.has(name)


def test_a_closed_folder_is_a_reason(folder: Folder, tmp_path: Path) -> None:
    folder.file("config.json").write_text("{}")
    tmp_path.chmod(0)
    try:
        with as_nobody():
            for ask in (folder.has, folder.document):
                with pytest.raises(Unavailable, match="Permission denied"):
                    ask("config.json")
            with pytest.raises(Unavailable, match="my/model cannot be listed: Permission denied"):
                folder.names()
    finally:
        tmp_path.chmod(0o700)


def test_the_names_of_all_entries(folder: Folder) -> None:
    for name in ("b.json", "a.json", "a.b"):
        folder.file(name).write_text("")
    folder.file("sub").mkdir()
    assert folder.names() == ("a.b", "a.json", "b.json", "sub")


def test_names_of_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("file", "nothing"):
        with pytest.raises(Unavailable, match=f"{name} cannot be listed"):
            Folder(tmp_path / name, name).names()


def test_a_folder_with_too_many_entries_is_not_listed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trl_doctor.files.folder.MOST_NAMES", 3)
    for number in range(3):
        folder.file(str(number)).write_text("")
    assert len(folder.names()) == 3
    folder.file("one more").write_text("")
    with pytest.raises(Unavailable, match="my/model has more than 3 entries"):
        folder.names()


def test_folders_are_equal_by_path(tmp_path: Path) -> None:
    first, second = Folder(tmp_path, "one"), Folder(tmp_path, "other")
    assert first == second
    assert hash(first) == hash(second)
    assert first != Folder(tmp_path / "sub", "one")
