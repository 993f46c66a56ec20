"""The copy of the working folder, while another program writes there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trl_doctor.probes.rehearsal.writes.mirror import mirrored


@pytest.mark.parametrize(
    ("error", "left"), [(FileNotFoundError, False), (PermissionError, True), (OSError, True)]
)
def test_a_file_that_changes_while_the_folder_is_copied(
    error: type[OSError], left: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "work"
    source.mkdir()
    for name in ("a.log", "train.py"):
        (source / name).write_text(name)
    copy = shutil.copy2

    def copied(path: str, target: str, **options: bool) -> None:
        copy(path, target, **options)
        if path.endswith("a.log"):
            raise error("it is gone")

    monkeypatch.setattr(shutil, "copy2", copied)
    mirrored(source, tmp_path / "copy")
    assert (tmp_path / "copy/train.py").read_text() == "train.py"
    assert (tmp_path / "copy/a.log").is_symlink() is left
    assert (tmp_path / "copy/a.log").exists() is left
