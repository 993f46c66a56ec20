"""Versions that a script or notebook names count unless the user states others."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.source.notebooks.pins import pins

CODE = (
    "from trl import GRPOConfig, GRPOTrainer\n"
    "args = GRPOConfig(output_dir='out', max_prompt_length=128)\n"
    "GRPOTrainer('m', len, args, [])\n"
)
METADATA = """# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "trl[peft]==0.24.0",
#     'transformers>=4',
# ]
# ///
"""


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


def report(file: Path, *options: str) -> dict[str, Any]:
    words = ["check", str(file), "--offline", "--level", "files", "--format", "json", *options]
    (target,) = json.loads(CliRunner().invoke(main, words).stdout)["targets"]
    return dict(target)


@pytest.mark.parametrize(
    ("name", "text", "version", "where"),
    [
        ("n.ipynb", notebook("import os\n!pip install -q trl==0.24.0 torch", CODE), "0.24.0",
         "cell 1, line 2"),
        ("n.ipynb", notebook("%pip install -U \\\n  'trl[vllm]==0.24.0' # old", CODE), "0.24.0",
         "cell 1, line 1"),
        ("n.ipynb", notebook("!pip install trl==0.9.6", "!uv pip install trl==0.24.0", CODE),
         "0.24.0", "cell 2, line 1"),
        ("t.py", METADATA + CODE, "0.24.0", "line 4"),
    ],
)  # fmt: skip
def test_the_version_is_the_jobs(
    name: str, text: str, version: str, where: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    report_ = report(tmp_path / name)
    assert report_["versions"]["trl"] == version
    assert f"trl {version} ({where})" in report_["notes"][0]
    gone = {check["rule"]: check["findings"] for check in report_["checks"]}[
        "argument-gone-from-trl"
    ]
    assert gone == []  # this release still has max_prompt_length
    stated = report(tmp_path / name, "--with", "trl==1.16.0")
    assert stated["versions"]["trl"] == "1.16.0"
    assert f"it installs other versions itself: trl {version} ({where})" in stated["notes"][0]
    assert {check["rule"]: check["findings"] for check in stated["checks"]}[
        "argument-gone-from-trl"
    ]


@pytest.mark.parametrize(
    "line",
    ["!pip install trl", "!pip install 'trl>=0.9'", "!pip download trl==0.24.0", "!pip install 'a",
     "!pip install git+https://github.com/huggingface/trl.git@v0.24.0", "x = 'pip install trl==1'"],
)  # fmt: skip
def test_what_names_no_version(line: str) -> None:
    assert pins(Path("n.ipynb"), notebook(line, CODE).encode()) == []


def test_what_cannot_be_read_names_none() -> None:
    assert pins(Path("n.ipynb"), b"{") == []


@pytest.mark.parametrize("install", ["!pip install -q unsloth", "%pip install bitsandbytes", ""])
def test_what_a_notebook_installs_is_not_missing(install: str, tmp_path: Path) -> None:
    site = tmp_path / "venv/lib/python{}.{}/site-packages".format(*sys.version_info)
    for name, version in (("trl", "1.16.0"), ("transformers", "5.23.0")):
        (site / f"{name}-{version}.dist-info").mkdir(parents=True)
        (site / f"{name}-{version}.dist-info/METADATA").write_text(f"Version: {version}\n")
    (tmp_path / "venv/bin").mkdir()
    (tmp_path / "venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    code = CODE.replace("max_prompt_length=128", "optim='adamw_8bit'")
    (tmp_path / "n.ipynb").write_text(notebook(install, code))
    report_ = report(tmp_path / "n.ipynb", "--python", str(tmp_path / "venv"))
    missing = {check["rule"]: check for check in report_["checks"]}["package-not-installed"]
    assert missing["state"] == ("skipped" if install else "found")
