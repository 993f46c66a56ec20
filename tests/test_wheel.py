"""The wheel: it holds every package and data file, and works elsewhere, with others' rules."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
SOURCES = {"trl_doctor": "trl_doctor", "trl_doctor_rules": "rules"}
"""The packages, and the folders that they are made of."""


def ran(*command: object, cwd: Path, status: int = 0) -> str:
    """What a command prints; it must end with this status."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, env=variables
    )
    assert process.returncode == status, process.stdout + process.stderr
    return process.stdout


def built(project: Path, into: Path) -> Path:
    """The wheel of a project, built with the setuptools that is here if that is new enough."""
    try:
        here = Version(metadata.version("setuptools")) >= Version("77")
    except metadata.PackageNotFoundError:
        here = False
    isolation = ["--no-isolation"] if here else []
    ran(sys.executable, "-m", "build", "--wheel", "--outdir", into, *isolation, project, cwd=into)
    (wheel,) = into.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy to build from: building leaves its traces beside the sources."""
    project = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)
    for name in SOURCES.values():
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    return project


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(project, tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_every_file_of_every_package(project: Path, wheel: Path) -> None:
    wanted = {
        f"{package}/{file.relative_to(project / name).as_posix()}"
        for package, name in SOURCES.items()
        for file in (project / name).rglob("*")
        if file.is_file()
    }
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == wanted


def test_every_folder_of_sources_is_a_package() -> None:
    for folder in SOURCES.values():
        for file in (ROOT / folder).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), file


def required(names: set[str]) -> Iterator[metadata.Distribution]:
    """The distributions of these names and whatever they need, as they are installed here."""
    todo, seen = set(names), set[str]()
    while todo:
        name = todo.pop()
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        yield distribution
        for text in distribution.requires or ():
            need = Requirement(text)
            if not need.marker or need.marker.evaluate({"extra": ""}):
                todo |= {re.sub(r"[-_.]+", "-", need.name).lower()} - seen


def linked(needs: set[str], into: Path) -> None:
    """Link what the wheel says that it needs, and nothing else, into a folder."""
    for distribution in required(needs):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            place = into / top
            if not place.exists():
                place.symlink_to(Path(str(distribution.locate_file(top))))


PLUGIN = {
    "pyproject.toml": """\
        [build-system]
        requires = ["setuptools"]
        build-backend = "setuptools.build_meta"
        [project]
        name = "our-rules"
        version = "1"
        [project.entry-points."trl_doctor.rules"]
        ours = "our_rules"
        [tool.setuptools]
        packages = ["our_rules"]
        """,
    "our_rules/__init__.py": "",
    "our_rules/_shared.py": 'WORD = "temperature"\n',
    "our_rules/run_is_hot.py": '''\
        """The temperature is above one.

        Completions turn to noise, and the reward with them.

        Remedy: set it to one.
        """

        from trl_doctor.core.finding import Finding, Fix, Put
        from trl_doctor.facts.rule import Bad, Good, Rule

        from ._shared import WORD


        def check(facts):
            if (facts.run.number(WORD) or 1) > 1:
                place = facts.run.place(WORD)
                fix = Fix("set temperature to 1", (Put(place.file, place.pointer, 1),))
                yield Finding(place, "the temperature is above one", fix=fix)


        HOT = {"trainer": "grpo", "temperature": 2}
        COOL = {"trainer": "grpo", "temperature": 1}
        RULE = Rule(
            doc=__doc__,
            severity="warning",
            check=check,
            examples=(
                Bad({"run.json": HOT}, says="above one", fixed={"run.json": COOL}),
                Good({"run.json": COOL}),
            ),
        )
        ''',
}


@pytest.mark.slow
def test_the_wheel_works_elsewhere_and_takes_the_rules_of_others(
    project: Path, wheel: Path, tmp_path: Path
) -> None:
    home = tmp_path / "elsewhere"
    venv.create(home, with_pip=True)
    python, doctor = home / "bin" / "python", home / "bin" / "trl-doctor"
    (site,) = home.glob("lib/python*/site-packages")
    install = (python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet")
    ran(*install, wheel, cwd=tmp_path)
    needs = metadata.PathDistribution(next(site.glob("trl_doctor-*.dist-info"))).requires or []
    names = {Requirement(need).name for need in needs if "extra ==" not in need}
    linked(names, site)

    shutil.copytree(ROOT / "fixtures", tmp_path / "job")
    check = (doctor, "check", "broken-vllm.yaml", "--select", "vllm-*", "--format", "json")
    data = json.loads(ran(*check, cwd=tmp_path / "job", status=1))
    findings = {
        check["rule"] for check in data["targets"][0]["checks"] if check["state"] == "found"
    }
    assert "vllm-tokenizer-lacks-tokens" in findings
    where = ran(python, "-c", "import trl_doctor; print(trl_doctor.__file__)", cwd=tmp_path)
    assert where.startswith(str(site))
    before = {row["rule"] for row in json.loads(ran(doctor, "rules", "--format", "json", cwd=site))}
    rules = project / "rules"
    modules = [file for file in rules.rglob("[!_]*.py") if "_recorded" not in file.parts]
    assert before == {file.stem.replace("_", "-") for file in modules}

    for name, text in PLUGIN.items():
        (tmp_path / "plugin" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plugin" / name).write_text(textwrap.dedent(text))
    (tmp_path / "made").mkdir()
    ran(*install, built(tmp_path / "plugin", tmp_path / "made"), cwd=tmp_path)
    after = {row["rule"] for row in json.loads(ran(doctor, "rules", "--format", "json", cwd=site))}
    assert after - before == {"run-is-hot"}
    (tmp_path / "job" / "hot.json").write_text('{"trainer": "grpo", "temperature": 1.5}\n')
    hot = (doctor, "check", "hot.json", "--select", "run-is-hot", "--fail-on", "warning")
    assert "warning: the temperature is above one" in ran(*hot, cwd=tmp_path / "job", status=1)
    ran(*hot, "--fix", cwd=tmp_path / "job")
    assert json.loads((tmp_path / "job" / "hot.json").read_text())["temperature"] == 1
    hold = "from trl_doctor.testing import hold; from our_rules import run_is_hot as one"
    ran(python, "-c", f"{hold}; hold(one.RULE)", cwd=tmp_path)
