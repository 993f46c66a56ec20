"""What is an id of the Hub, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils._validators import validate_repo_id
from hypothesis import example, given
from hypothesis import strategies as st

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Qwen/Qwen2.5-0.5B", True),
        ("gpt2", True),
        ("org/name@v1.0", True),
        ("org/name@refs/pr/3", True),
        ("gpt2@0123456789abcdef", True),
        ("org/name@", False),
        ("org/name@../x", False),
        ("org/name@a b", False),
        ("here", False),
        ("here/inside", False),
        ("dangling", False),
        ("./name", False),
        ("../name", False),
        ("/name", False),
        ("~/name", False),
        ("org/name/", False),
        ("org/name/sub", False),
        ("org\\name", False),
        ("https://huggingface.co/gpt2", False),
        ("hf://gpt2", False),
        ("", False),
        (".", False),
        ("-x", False),
        ("a--b", False),
        ("name.git", False),
        ("run.json", False),
        ("org/run.yaml", False),
        ("train.py", False),
        ("na\nme", False),
        ("name\n", False),
        ("café", False),
        ("x" * 97, False),
        ("x\x00y", False),
    ],
)
def test_what_looks_like_a_hub_id(
    text: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here" / "inside").mkdir(parents=True)
    (tmp_path / "dangling").symlink_to("nowhere")
    assert hub.looks_like_hub_id(text) is expected


@given(st.text("ab._-/@", max_size=12) | st.text("a-", min_size=90, max_size=200))
@example("a" * 96 + "/" + "b" * 96)
@example("a" * 97)
@example("_a_")
def test_repositories_are_validated_as_huggingface_hub_does(text: str) -> None:
    try:
        validate_repo_id(text)
        valid = True
    except HFValidationError:
        valid = False
    try:
        accepted = hub.parse(text).repo == text
    except Unavailable:
        accepted = False
    assert accepted is valid


def test_parse_splits_the_revision() -> None:
    assert hub.parse("org/name@refs/pr/3") == hub.HubId("org/name", "refs/pr/3")
    assert hub.parse("gpt2") == hub.HubId("gpt2", None)
    assert str(hub.parse("gpt2@v1")) == "gpt2@v1"


@pytest.mark.parametrize("revision", ["../../x", "/etc", "a\x00b", "", "a//b", "-x"])
def test_a_revision_from_a_run_file_is_checked_too(revision: str, clean: Path) -> None:
    with pytest.raises(Unavailable, match="not the name of a revision"):
        hub.resolve(hub.HubId("org/name", revision), offline=True)
