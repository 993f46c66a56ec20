"""What a command may not import: the libraries under examination, and what costs time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
FORBIDDEN = ["torch", "transformers", "trl", "vllm", "accelerate", "peft", "datasets", "numpy"]

GUARD = f"""
import os, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {FORBIDDEN!r}:
            os.write(2, f'IMPORTED {{name}}\\n'.encode())
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
from click.testing import CliRunner
from trl_doctor.commands.cli import main
"""


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )


def test_the_guard_sees_an_import() -> None:
    assert "IMPORTED torch" in python(GUARD + "import torch").stderr


def test_no_command_imports_what_it_examines(tmp_path: Path) -> None:
    targets = [
        str(file) for file in sorted(FIXTURES.iterdir()) if file.suffix in (".json", ".yaml")
    ]
    targets += [str(folder) for folder in sorted((FIXTURES / "models").iterdir())]
    assert len(targets) > 10
    commands = [
        ["check", *targets, "--trainer", "grpo"],
        ["check", *targets, "--format", "json", "--with", "trl==0.15.2"],
        ["check", *targets, "--diff", "--unsafe-fixes", "--with", "trl==1.16.0", "--with",
         "transformers==5.23.0", "--with", "vllm==0.32.0", "--processes", "2"],
        ["check", str(FIXTURES / "broken-vllm.yaml"), "--fix-to", str(tmp_path / "copy")],
        ["rules"],
        ["rules", "--format", "json"],
        ["explain", "*"],
        ["env"],
    ]  # fmt: skip
    run = GUARD + "import json\nstatuses = []\nfor one in json.loads(sys.argv[1]):\n"
    run += "    result = CliRunner().invoke(main, one)\n    statuses.append(result.exit_code)\n"
    run += "print(json.dumps([statuses, sorted(sys.modules)]))"
    process = python(run, json.dumps(commands))
    assert "IMPORTED" not in process.stderr
    statuses, modules = json.loads(process.stdout)
    assert 2 not in statuses
    assert [statuses[0], statuses[1], *statuses[4:]] == [1, 1, 0, 0, 0, 0]
    assert "trl_doctor.reports.text" in modules
    assert not {name.partition(".")[0] for name in modules} & set(FORBIDDEN)


LAZY = ["msgspec", "jinja2", "huggingface_hub", "ruamel", "tokenizers", "tabulate", "pynvml"]
LAZY += [
    "importlib.metadata",
    "trl_doctor.commands.check",
    "trl_doctor.checkup.discover",
    "asyncio",
]


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"]])
def test_help_imports_nothing_that_takes_time(arguments: list[str]) -> None:
    code = "import sys\nfrom trl_doctor.commands.cli import main\ntry:\n    main()\n"
    code += "except SystemExit as end:\n    assert not end.code\n"
    code += "print('MODULES', *sys.modules)"
    process = python(code, *arguments)
    assert process.returncode == 0, process.stderr
    modules = process.stdout.rpartition("MODULES")[2].split()
    assert "click" in modules
    assert [name for name in LAZY if name in modules] == []


RUN_FILE, MODEL = str(FIXTURES / "grpo.yaml"), str(FIXTURES / "models" / "healthy")
LATER = ["probes", "scripts", "vllm"]


@pytest.mark.parametrize(("target", "later"), [(RUN_FILE, LATER), (MODEL, [*LATER, "runs"])])
def test_a_check_imports_no_network_and_no_rules_of_other_targets(
    target: str, later: list[str]
) -> None:
    code = "import sys\nfrom trl_doctor.commands.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n"
    code += "    print('MODULES', *sys.modules)"
    modules = python(code, "check", target).stdout.rpartition("MODULES")[2].split()
    assert "trl_doctor.checkup" in modules
    heavy = ["huggingface_hub", "httpx", "ssl", "jinja2", "tokenizers", "importlib.metadata"]
    assert [name for name in heavy if name in modules] == []
    folders = tuple(f"trl_doctor_rules.{name}." for name in later)
    assert [name for name in modules if name.startswith(folders)] == []
    answers = [name for name in modules if "probes.answers" in name or "_recorded.answers" in name]
    assert answers == [], "imported only to ask a probe: dataclasses take time to create"


def test_the_public_names_import_nothing_heavy() -> None:
    used = "import trl_doctor\ntrl_doctor.DoctorCallback()\ntrl_doctor.check\ntrl_doctor.Findings"
    ran = python(GUARD + used)
    assert (ran.returncode, ran.stderr) == (0, "")


KEPT = {
    "rehearsing/oracle.py",  # it changes answers of probes, which are dataclasses
    "facts/rule.py",  # plugins make rules, and Python's own replace changes them
    "checkup/discover.py",
}


def test_value_classes_are_structs() -> None:
    """A dataclass takes ten times as long to create, and a check creates two hundred."""
    package = FIXTURES.parent / "trl_doctor"
    using = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "from dataclasses import" in file.read_text() and "probes" not in file.parts
    }
    assert using == KEPT


def test_no_pattern_repeats_a_group_possessively() -> None:
    """`(…)*+` matches wrongly in Python 3.11.0 to 3.11.4, the system's Python of Debian 12."""
    files = [
        path for room in ("trl_doctor", "rules") for path in (FIXTURES.parent / room).rglob("*.py")
    ]
    wrong = [path for path in files if re.search(r"\)[*+?]\+", path.read_text())]
    assert wrong == []
