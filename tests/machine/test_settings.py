"""Settings that stay: where they are found, what they may be, and the errors for wrong ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trl_doctor.commands.trust import trust
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
documentation = "https://docs.example"
gpu = "8xH100-80GB"
nodes = 2
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = tmp_path / "trl-doctor.toml"
    file.write_text(ALL)
    assert settings(tmp_path, python_given=True) == Settings(
        select=("file-*",), ignore=("gpu-*",), require=("file-unreadable",), fail_on="warning",
        python="venv", stated=("trl==0.15.2",), trainer="ppo", processes=8, offline=True, file=file,
        documentation="https://docs.example", gpu="8xH100-80GB", nodes=2,
    )  # fmt: skip


def test_the_nearest_file_with_settings_of_the_doctor_counts(tmp_path: Path) -> None:
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
def test_a_pyproject_without_the_doctors_table_is_skipped(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text)
    assert settings(tmp_path) == Settings()


WRONG = [
    ("trl-doctor.toml", "selct = []", "there is no setting selct; did you mean select?"),
    ("trl-doctor.toml", "fail_on = 'error'", "did you mean fail-on?"),
    ("trl-doctor.toml", "file = 'x'", "there is no setting file"),
    ("trl-doctor.toml", "zzz = 1", "there is no setting zzz"),
    ("trl-doctor.toml", "documentation = 'x'", "documentation begins with https:// or http://"),
    ("trl-doctor.toml", "select = 3", "select must be a list of strings, not 3"),
    ("trl-doctor.toml", "select = [1]", "select must be a list of strings, not [1]"),
    ("trl-doctor.toml", "trainer = ['grpo']", "trainer is a text, not ['grpo']"),
    ("trl-doctor.toml", "processes = '8'", "processes is a number, zero or more, not '8'"),
    ("trl-doctor.toml", "processes = true", "processes is a number, zero or more, not True"),
    ("trl-doctor.toml", "processes = -2", "processes is a number, zero or more, not -2"),
    ("trl-doctor.toml", "offline = 1", "offline is true or false, not 1"),
    ("trl-doctor.toml", "= 1", "Invalid statement"),
    ("trl-doctor.toml", b"\xff", "can't decode byte"),
    ("trl-doctor.toml", "select = " + "[" * 9999, "recursion"),
    ("trl-doctor.toml", "level = 'deep'", "level is one of files, tiny, full, not 'deep'"),
    ("trl-doctor.toml", "severity = 3", "severity is a table by rule"),
    ("trl-doctor.toml", "severity = {x = 'bad'}", "x is error, warning or note, not 'bad'"),
    ("trl-doctor.toml", "targets = 3", "targets is a table by pattern"),
    ("trl-doctor.toml", "targets = {x = 3}", "targets.'x' is a table"),
    ("trl-doctor.toml", "targets = {x = {trainr = ''}}", "did you mean trainer?"),
    ("trl-doctor.toml", "targets = {x = {processes = 'a'}}", "processes is a number"),
    ("trl-doctor.toml", "ignore = [{rule = 'x'}]", "reason is missing"),
    ("trl-doctor.toml", "ignore = [{rul = 'x'}]", "did you mean rule?"),
    ("trl-doctor.toml", "ignore = ['x', {}]", "is a list of patterns or of tables, not both"),
    ("pyproject.toml", "[tool]\ntrl-doctor = 3", "tool.trl-doctor is not a table"),
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


# Programs that settings name


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, with a state folder and a configuration of the user's elsewhere."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "trl-doctor").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.parametrize("name", ["trl-doctor.toml", "pyproject.toml"])
@pytest.mark.parametrize("python", ["./something", "python3", "~/python", "/usr/bin/python3"])
def test_a_project_may_name_a_program_only_once_it_is_trusted(
    project: Path, name: str, python: str
) -> None:
    head = "" if name == "trl-doctor.toml" else "[tool.trl-doctor]\n"
    file = project / name
    file.write_text(f"{head}python = {python!r}\ntrainer = 'grpo'\n")
    with pytest.raises(BadSettings, match=r"not trusted.*trl-doctor trust.*--python.*_PYTHON"):
        settings(project)
    assert settings(project, python_given=True).trainer == "grpo"
    assert trust(project, revoke=False) == 0
    assert settings(project).python
    file.write_text(f"{head}python = {python!r}\ntrainer = 'ppo'\n")
    assert settings(project).trainer == "ppo"  # other settings start nothing
    file.write_text(f"{head}python = {python + '2'!r}\n")
    with pytest.raises(BadSettings, match="not trusted"):
        settings(project)
    file.write_text(f"{head}python = {python!r}\n")
    assert trust(project, revoke=True) == 0
    with pytest.raises(BadSettings, match="not trusted"):
        settings(project)


def test_trust_does_not_move_with_the_file(project: Path, tmp_path: Path) -> None:
    (project / "trl-doctor.toml").write_text("python = './something'\n")
    assert trust(project, revoke=False) == 0
    project.rename(tmp_path / "elsewhere")
    with pytest.raises(BadSettings, match="not trusted"):
        settings(tmp_path / "elsewhere")


def test_a_path_counts_from_the_folder_of_its_settings(project: Path) -> None:
    (project / "trl-doctor.toml").write_text("python = './venv'\n")
    trust(project, revoke=False)
    (project / "download" / "venv").mkdir(parents=True)
    assert settings(project / "download").python == str(project / "venv")


def test_the_settings_of_the_user_are_believed_and_those_of_a_project_win(project: Path) -> None:
    own = project.parent / "config" / "trl-doctor" / "trl-doctor.toml"
    own.write_text("python = '/opt/train/bin/python'\nfail-on = 'note'\ntrainer = 'sft'\n")
    assert settings(project).python == "/opt/train/bin/python"
    (project / "trl-doctor.toml").write_text("trainer = 'ppo'\n")
    result = settings(project)
    assert (result.python, result.fail_on, result.trainer) == (
        "/opt/train/bin/python",
        "note",
        "ppo",
    )
    own.write_text("pythn = 'x'\n")
    with pytest.raises(BadSettings, match="did you mean python"):
        settings(project)


def test_nothing_to_trust(project: Path) -> None:
    assert trust(project, revoke=False) == 2
    (project / "trl-doctor.toml").write_text("trainer = 'ppo'\n")
    assert trust(project, revoke=False) == 0
    (project / "trl-doctor.toml").write_text("python = 'x'\n")
    (project.parent / "state").write_text("no folder")
    assert trust(project, revoke=False) == 3


def test_a_downloaded_program_is_not_started(project: Path) -> None:
    """The whole command, with a program that leaves a mark when it is started."""
    program = project / "something"
    program.write_text("#!/bin/sh\ntouch started\n")
    program.chmod(0o755)
    (project / "run.json").write_text('{"trainer": "grpo"}')
    (project / "trl-doctor.toml").write_text("python = './something'\n")
    command = [sys.executable, "-m", "trl_doctor"]
    process = subprocess.run([*command, "check", "run.json"], capture_output=True, text=True)
    assert process.returncode == 2
    assert "is not trusted: read it, then run `trl-doctor trust`" in process.stderr
    assert not (project / "started").exists()
    trust = subprocess.run([*command, "trust"], capture_output=True, text=True)
    assert trust.stdout == f"{project}/trl-doctor.toml may now start {program}\n"
    subprocess.run([*command, "check", "run.json"], capture_output=True)
    assert (project / "started").exists()


def test_in_ci_a_variable_names_the_interpreter(project: Path) -> None:
    (project / "run.json").write_text('{"trainer": "grpo"}')
    (project / "trl-doctor.toml").write_text("python = './something'\n")
    command = [sys.executable, "-m", "trl_doctor", "check", "run.json", "--level", "files"]
    variables = {**os.environ, "TRL_DOCTOR_PYTHON": sys.executable}
    process = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert "trainer grpo" in process.stdout
    assert "not trusted" not in process.stderr
