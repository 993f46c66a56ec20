"""Undo restores what a change has made, step by step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from writing_ground import NEW, OLD, config, held

from trl_doctor.core.records import RECORDS
from trl_doctor.repair.writing.undo import undo
from trl_doctor.repair.writing.write import Change, WriteRefused, write


def test_undo_goes_back_step_by_step_and_leaves_nothing(model: Path) -> None:
    was = held(model)
    for before, after in ((OLD, b"1"), (b"1", b"2"), (b"2", None), (None, b"3")):
        write([config(model, before, after)])
    for content in (None, b"2", b"1", OLD):
        undo(model)
        path = model / "config.json"
        assert (path.read_bytes() if path.exists() else None) == content
    assert held(model) == was
    with pytest.raises(WriteRefused, match="has nothing to undo"):
        undo(model)


def test_undo_refuses_what_changed_since_unless_forced(model: Path) -> None:
    write([config(model), Change(model / "made.json", None, b"made")])
    (model / "config.json").write_bytes(b"by hand")
    was = held(model)
    with pytest.raises(WriteRefused, match="has changed since; --force") as raised:
        undo(model)
    assert raised.value.path == model / "config.json"
    assert held(model) == was
    undo(model, force=True)
    assert (model / "config.json").read_bytes() == OLD
    assert not (model / "made.json").exists()
    kept = [content for _, content in held(model / RECORDS).values()]
    assert b"by hand" in kept
    with pytest.raises(WriteRefused, match="has nothing to undo"):
        undo(model)


def test_undo_refuses_what_a_write_refuses(model: Path) -> None:
    write([config(model)])
    (model / "config.json").chmod(0o444)
    for force in (False, True):
        with pytest.raises(WriteRefused, match="is read-only"):
            undo(model, force)
    assert (model / "config.json").read_bytes() == NEW


def test_undo_where_the_folder_has_moved_or_been_copied(model: Path, tmp_path: Path) -> None:
    write([config(model)])
    moved = model.rename(tmp_path / "moved")
    assert undo(moved).files == (moved / "config.json",)
    (tmp_path / "run.json").write_bytes(b"{}")
    write([config(moved), Change(tmp_path / "run.json", b"{}", b"[]")])
    shutil.copytree(moved, tmp_path / "copy")
    with pytest.raises(WriteRefused, match="was moved or copied since"):
        undo(tmp_path / "copy")
    assert (tmp_path / "copy/config.json").read_bytes() == NEW
    shutil.rmtree(moved)
    with pytest.raises(WriteRefused, match="is gone; its files changed together"):
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
            with pytest.raises(WriteRefused, match="has nothing to undo"):
                undo(ground)
        elif act is None:
            states.pop()
            undo(ground)
        elif write(
            [Change(paths[name], now[name], after) for name, after in act.items()], [ground]
        ).files:
            states.append(now | act)
        contents = {
            name: path.read_bytes() if path.exists() else None for name, path in paths.items()
        }
        assert contents == states[-1]
        assert (ground / RECORDS).exists() == (len(states) > 1)
