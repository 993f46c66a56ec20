"""Several reports of one command, and the reports on many targets."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trl_doctor.checkup.report import ShownPlace
from trl_doctor.commands.cli import main
from trl_doctor.reports.explained import shows_line
from trl_doctor.reports.style import wrapped

FIXTURES = Path(__file__).parents[2] / "fixtures"
STATED = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--offline")


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with run files; the broken model lies outside, as in the Hub's cache."""
    folder = tmp_path / "work"
    shutil.copytree(FIXTURES / "data", folder / "data")
    shutil.copytree(FIXTURES / "models" / "healthy", folder / "models" / "healthy")
    shutil.copytree(FIXTURES / "models" / "no-pad-no-stop", tmp_path / "cache" / "broken")
    shutil.copy(FIXTURES / "sft.yaml", folder)
    run = json.loads((FIXTURES / "broken-grpo.json").read_text())
    run["model_name_or_path"] = str(tmp_path / "cache" / "broken")
    (folder / "broken-grpo.json").write_text(json.dumps(run, indent=2))
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", *STATED, *arguments])


def test_several_reports_are_written_though_one_cannot_be(work: Path) -> None:
    result = check(
        "sft.yaml", "-o", "json=r.json", "-o", "sarif=gone/r.sarif", "-o", "html=r.html",
        "-o", "concise",
    )  # fmt: skip
    assert result.exit_code == 3
    assert "the sarif report cannot be written to gone/r.sarif: No such file" in result.stderr
    assert json.loads((work / "r.json").read_text())["targets"][0]["verdict"] == "passed"
    assert (work / "r.html").read_text().startswith("<!doctype html>")
    assert "cannot be written" in result.stdout.splitlines()[-2]
    assert result.stdout.splitlines()[-1].startswith("1 passed; ")


def test_a_report_that_cannot_be_written_is_not_said_to_be_there(work: Path) -> None:
    result = check("sft.yaml", "-o", "html=gone/x.html")
    assert result.stderr.splitlines()[-1] == "trl-doctor: 1 passed; no report was written"
    result = check("sft.yaml", "-o", "html=gone/x.html", "-o", "json=r.json")
    assert result.stderr.splitlines()[-1] == "trl-doctor: 1 passed; the report is in r.json"


FORMATS = (
    "text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html",
)  # fmt: skip


@pytest.mark.parametrize("by", ["settings", "environment"])
def test_each_format_gives_the_address_of_a_rules_page(
    by: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "https://docs.example/doctor"
    if by == "settings":
        (work / "trl-doctor.toml").write_text(f'documentation = "{base}/"\n')
    else:
        monkeypatch.setenv("TRL_DOCTOR_DOCUMENTATION", base)
    options = [f"--output={name}=r.{name}" for name in FORMATS]
    assert check("broken-grpo.json", *options).exit_code == 1
    page = f"{base}/rules/chat-template-turn-end-is-not-eos/"
    assert [name for name in FORMATS if page not in (work / f"r.{name}").read_text()] == []


def test_wrong_usage_is_json_with_that_format() -> None:
    result = check("sft.yaml", "--select", "no-such-rule", "--output", "json")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["exit_code"], data["targets"]) == (2, 2, [])
    assert "no-such-rule" in data["problems"][0]


def test_a_finding_outside_the_repository_has_the_line_that_names_the_model(work: Path) -> None:
    check("broken-grpo.json", "--output", "sarif=r.sarif", "--output", "github")
    results = json.loads((work / "r.sarif").read_text())["runs"][0]["results"]
    lines = (work / "broken-grpo.json").read_text().splitlines()
    named = next(n for n, line in enumerate(lines, 1) if "model_name_or_path" in line)
    matches = [
        result for result in results if result["ruleId"] == "chat-template-turn-end-is-not-eos"
    ]
    place = matches[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "broken-grpo.json", "uriBaseId": "ROOT"}
    assert place["region"]["startLine"] == named
    there = matches[0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert there.endswith("/cache/broken/generation_config.json")
    assert "fixes" not in matches[0]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_targets_have_a_table_a_total_and_statistics(work: Path, jobs: str) -> None:
    result = check("*.yaml", "broken-grpo.json", "--quiet", "--statistics", "--jobs", jobs)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    total = next(n for n, line in enumerate(lines) if line.startswith("total: "))
    assert lines[total] == "total: 2 targets · 1 passed · 1 failed"
    assert lines[total - 1].split()[:2] == ["failed", "broken-grpo.json"]
    assert not any("sft.yaml" in line for line in lines)
    assert ["1", "chat-template-turn-end-is-not-eos", "1"] in [
        line.split() for line in lines[total:]
    ]


COMMAND = (
    "run `trl-doctor check run.yaml --python ~/envs/train --level tiny` and --with trl==1.16.0"
)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_line_is_wrapped_and_no_command_is_broken(width: int) -> None:
    text = f"so that all is known, {COMMAND} in the folder of the job"
    lines = list(wrapped(text, width, "", "  "))
    assert " ".join(line.strip() for line in lines) == text
    whole = [word for word in COMMAND.split("`") if word.startswith("trl-doctor")]
    assert any(whole[0] in line for line in lines)
    assert any("--with trl==1.16.0" in line for line in lines)
    assert all(len(line) <= max(width, len(whole[0]) + 4) for line in lines)


SCRIPT = """\
import time
from datasets import Dataset
from trl import SFTConfig, SFTTrainer
rows = Dataset.from_list([{"text": "a"}])
args = SFTConfig("out", seed=time.time_ns())
SFTTrainer("models/healthy", args=args, train_dataset=rows).train()
"""


@pytest.mark.parametrize("form", ["text", "concise", "github", "markdown", "html"])
def test_what_of_a_script_was_not_read_has_not_passed(form: str, work: Path) -> None:
    (work / "train.py").write_text(SCRIPT)
    result = check("train.py", "-o", form)
    assert result.exit_code == 0, result.stdout
    assert "passed, as far as it was read" in result.stdout
    if form not in ("concise", "html"):
        assert "PATH_OF_THE_PYTHON_THAT_TRAINS train.py" in result.stdout


@pytest.mark.parametrize(
    ("file", "line", "shown"),
    [("job.sbatch", 3, True), ("Makefile", 1, True), ("job.yaml", 5, True), ("run.yaml", 1, False)],
)
def test_the_line_of_a_launch_file_is_shown(file: str, line: int, shown: bool) -> None:
    assert shows_line(ShownPlace(file, "", line, 1, "text")) is shown
    assert shows_line(ShownPlace("run.yaml", "/beta", 1, 1, "text")) and not shows_line(
        ShownPlace(file)
    )
