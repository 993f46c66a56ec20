"""Settings that stay: where they are found, what they may be, what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.machine.settings import BadSettings, Settings, settings

ALL = """
select = ["file-*"]
ignore = "gpu-*"
require = ["file-unreadable"]
fail-on = "warning"
python = "venv"
with = ["trl==0.15.2"]
trainer = "ppo"
processes = 8
offline = true
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = tmp_path / "trl-doctor.toml"
    file.write_text(ALL)
    assert settings(tmp_path) == Settings(
        select=("file-*",), ignore=("gpu-*",), require=("file-unreadable",), fail_on="warning",
        python="venv", stated=("trl==0.15.2",), trainer="ppo", processes=8, offline=True, file=file,
    )  # fmt: skip


def test_the_nearest_file_that_speaks_to_the_doctor_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.trl-doctor]\ntrainer = 'grpo'\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert settings(inner).trainer == "grpo"
    (tmp_path / "a" / "trl-doctor.toml").write_text("trainer = 'ppo'\n")
    assert settings(inner).trainer == "ppo"
    (inner / "trl-doctor.toml").write_text("")
    assert settings(inner) == Settings(file=inner / "trl-doctor.toml")
    (inner / "trl-doctor.toml").unlink()
    (inner / "trl-doctor.toml").mkdir()
    assert settings(inner).trainer == "ppo"


@pytest.mark.parametrize(
    "text",
    [b"", b"[tool]\n", b"tool = 3\n", b"[tool.ruff]\n", b"= x", b"\xff\xfe", b"a = " + b"[" * 9999],
)  # fmt: skip
def test_a_pyproject_of_others_says_nothing(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text)
    assert settings(tmp_path) == Settings()


WRONG = [
    ("trl-doctor.toml", "selct = []", "there is no setting selct; did you mean select?"),
    ("trl-doctor.toml", "fail_on = 'error'", "did you mean fail-on?"),
    ("trl-doctor.toml", "file = 'x'", "there is no setting file"),
    ("trl-doctor.toml", "zzz = 1", "there is no setting zzz"),
    ("trl-doctor.toml", "select = 3", "select is a list of texts, not 3"),
    ("trl-doctor.toml", "select = [1]", "select is a list of texts, not [1]"),
    ("trl-doctor.toml", "trainer = ['grpo']", "trainer is a text, not ['grpo']"),
    ("trl-doctor.toml", "processes = '8'", "processes is a number, zero or more, not '8'"),
    ("trl-doctor.toml", "processes = true", "processes is a number, zero or more, not True"),
    ("trl-doctor.toml", "processes = -2", "processes is a number, zero or more, not -2"),
    ("trl-doctor.toml", "offline = 1", "offline is true or false, not 1"),
    ("trl-doctor.toml", "= 1", "Invalid statement"),
    ("trl-doctor.toml", b"\xff", "can't decode byte"),
    ("trl-doctor.toml", "select = " + "[" * 9999, "recursion"),
    ("pyproject.toml", "[tool]\ntrl-doctor = 3", "tool.trl-doctor is no table"),
    ("pyproject.toml", "[tool.trl-doctor]\ntrainer = 1", "trainer is a text, not 1"),
    ("pyproject.toml", "[tool.trl-doctor]\ntrainer =", "Invalid value"),
]


@pytest.mark.parametrize(("name", "text", "says"), WRONG)
def test_wrong_settings_name_file_and_setting(
    tmp_path: Path, name: str, text: str | bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadSettings) as wrong:
        settings(tmp_path)
    assert str(wrong.value).startswith(f"{tmp_path / name}: ")
    assert says in str(wrong.value)
