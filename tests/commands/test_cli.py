"""The command line: what each exit status means, what goes where, what hostile files gain."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from small_plugin import plugin

import trl_doctor
from trl_doctor.commands.cli import main
from trl_doctor.commands.examining import required_checks

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAY = "yield Finding(place, 'it is wrong')"
CASES = {
    "case-clear": "",
    "case-error": SAY,
    "warning: case-warning": SAY,
    "note: case-note": SAY,
    "case-milder": "yield Finding(place, 'it is wrong', severity='note')",
    "case-skipped": "raise Unavailable('nobody knows')",
    "case-in-part": SAY + "\nraise Unavailable('the rest is not known')",
    "case-elsewhere": "raise NotConcerned('it is about vLLM')",
    "case-crashed": "1 / 0",
    "case-exits": "raise SystemExit(0)",
    "case-no-finding": "yield 'text'",
    "case-echo": "for key, value in arguments.items():\n"
    "    fix = Fix(f'set {key} to {value}', (Put(place.file, '/x', value),))\n"
    "    yield Finding(facts.run.place(key), f'{key} is {value}', (str(value),), fix)",
}


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(plugin(tmp_path / "site", CASES))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("run.json").write_text('{"trainer": "grpo"}\n')


def doctor(*arguments: str) -> Result:
    """Run the command in this process; nothing may escape from it."""
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def checked(rules: str, *arguments: str) -> Result:
    return doctor("check", "run.json", "--select", rules, *arguments)


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trl_doctor", *arguments]
    variables = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=variables)


@pytest.mark.parametrize(
    ("rules", "options", "status"),
    [
        ("case-clear", "", 0),
        ("case-error", "", 1),
        ("case-warning", "", 0),
        ("case-warning", "--fail-on error", 0),
        ("case-warning", "--fail-on warning", 1),
        ("case-note", "--fail-on warning", 0),
        ("case-note", "--fail-on note", 1),
        ("case-milder", "", 0),
        ("case-milder", "--fail-on note", 1),
        ("case-in-part", "", 1),
        ("case-skipped", "", 3),
        ("case-elsewhere", "", 3),
        ("case-clear,case-skipped", "", 0),
        ("case-clear", "--select case-error", 1),
        ("case-*", "--ignore case-[!c]*,case-crashed", 0),
        ("case-clear,case-skipped", "--require case-clear", 0),
        ("case-clear,case-skipped", "--require case-skipped", 3),
        ("case-error,case-skipped", "--require case-s*", 3),
        ("case-clear", "--require case-skipped", 3),
        ("case-crashed,case-error", "", 3),
        ("case-exits,case-clear", "", 3),
        ("case-no-finding,case-clear", "", 3),
        ("case-clear", "--fix", 0),
        ("case-error", "--fix", 1),
        ("case-error", "--diff", 1),
    ],
)
def test_exit_status(rules: str, options: str, status: int) -> None:
    assert checked(rules, *options.split()).exit_code == status


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("check run.json --select case-eror", "no rule is called case-eror; did you mean case-err"),
        ("check run.json --ignore zzz", "no rule is called zzz; see trl-doctor rules"),
        ("check run.json --require case-claer", "did you mean case-clear?"),
        ("check run.json --trainer gppo", "not a trainer of TRL; did you mean ppo?"),
        ("check run.json --trainer xyz", "xyz is not a trainer of TRL; they are grpo, rloo, "),
        ("fit run.json --gpu 1xA100-80GB --trainer gpro", "did you mean grpo?"),
        ("check run.json --beta 0", "follow --: trl-doctor check TARGET -- --beta …"),
        ("check run.json --levle tiny", "'--level'"),
        ("check run.json --with trl=1.0", "--with trl=1.0: write trl==1.0"),
        ("check run.json --with trl", "'trl' names no version"),
        ("check run.json --python no/such", "no/such"),
        ("check run.json --processes 0", "0 is not in the range"),
        ("check run.json --format xml", "there is no format xml; there are text, "),
        ("check run.json -o sarf", "there is no format sarf; did you mean sarif?"),
        ("check run.json -o json=", "after = comes the name of a file"),
        ("check run.json -o sarif -o text", "only one of sarif, text can go to the terminal"),
        ("check run.json -o json=a -o text=a", "--output writes a twice"),
        ("check run.json --jobs 2 --fix", "cannot be combined with --jobs, --executor"),
        ("check run.json --executor ray --fix", "cannot be combined with --jobs, --executor"),
        ("check run.json --fail-on fatal", "'fatal' is not one of"),
        ("check run.json run.json --fix-to copy", "--fix-to works with one target only"),
        ("check", "Missing argument 'TARGET...'"),
        ("explain case-clera", "did you mean case-clear?"),
        ("env --python no/such", "no/such"),
        ("chekc run.json", "No such command 'chekc'"),
        ("train.py --trainer sft", "Did you mean `trl-doctor check train.py --trainer sft`?"),
    ],
)
def test_wrong_usage_exits_with_2_and_a_message(arguments: str, says: str) -> None:
    result = doctor(*arguments.split())
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


def test_a_target_that_is_not_there_costs_only_itself() -> None:
    result = doctor("check", "gone.json", "run.json", "--select", "case-error")
    assert result.exit_code == 3
    assert result.stderr == ""  # the report gives the reason
    assert result.stdout.startswith("– gone.json: incomplete\n  there is no such file or folder\n")
    assert "✗ run.json: failed, 1 error" in result.stdout
    assert "it is wrong" in result.stdout


def test_a_crash_costs_only_its_rule_and_is_reported() -> None:
    result = checked("case-crashed,case-exits,case-no-finding,case-error")
    assert result.exit_code == 3
    for text in (
        "case-crashed: ZeroDivisionError: division by zero (case_crashed.py:",
        "case-exits: SystemExit: 0",
        "case-no-finding: TypeError: the rule gives str, not Finding",
        "error: it is wrong",
        "verdict: failed, 1 error",
        "case-exits crashed: SystemExit: 0",
    ):
        assert text in result.stdout
    assert result.stderr == ""


def test_required_checks_that_did_not_run_are_reported() -> None:
    result = checked("case-skipped,case-clear", "--require", "case-skipped,case-error")
    assert "case-skipped is required and did not run: nobody knows" in result.stderr
    assert "case-error is required and was not selected" in result.stderr


def test_a_failure_of_the_doctor_itself_is_3_and_costs_only_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> None:
        raise LookupError("lost")

    monkeypatch.setattr("trl_doctor.checkup.session.open_run", failing)
    result = checked("case-clear")
    assert result.exit_code == 3
    assert "run.json: the doctor itself failed: LookupError: lost (test_cli.py:" in result.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("selct = ['a']", "there is no setting selct; did you mean select?"),
        ("fail-on = 'fatal'", "fail-on is error, warning or note"),
        ("select = 3", "select must be a list of strings"),
        ("processes = -1", "processes is a number, zero or more, not -1"),
        ("select = ['case-eror']", "did you mean case-err"),
        ("trainer = 'nope'", "nope is not a trainer of TRL"),
        ("= 3", "Invalid"),
    ],
)
def test_wrong_settings_are_2(text: str, says: str) -> None:
    Path("trl-doctor.toml").write_text(text)
    result = doctor("check", "run.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr


def test_settings_count_and_options_win() -> None:
    Path("trl-doctor.toml").write_text("select = ['case-warning']\nfail-on = 'warning'\n")
    assert doctor("check", "run.json").exit_code == 1
    assert doctor("check", "run.json", "--fail-on", "error").exit_code == 0
    assert doctor("check", "run.json", "--select", "case-clear").exit_code == 0


SCHEMA = Path(trl_doctor.__file__).parent / "reports" / "json_v1.schema.json"
REPORTS = Draft202012Validator(json.loads(SCHEMA.read_text()))


def report(result: Result) -> dict[str, Any]:
    """The JSON report, held to its schema; NaN is no JSON."""

    def refused(name: str) -> None:
        raise AssertionError(f"{name} in JSON")

    data: dict[str, Any] = json.loads(result.stdout, parse_constant=refused)
    result.stdout.encode()
    REPORTS.validate(data)
    assert (data["format"], data["exit_code"]) == ("json-v1", result.exit_code)
    return data


HOSTILE = [
    b'{"trainer": "grpo", "a": NaN, "b": [Infinity, -Infinity], "c": 1e999}',
    b'{"trainer": "\\ud800", "model_name_or_path": "\\udfff\\u001b[31m", "\\ud800": "\\u0000"}',
    b'{"trainer": "\\u001b]0;owned\\u0007", "x": "\\u009b31m\\u202e\\r\\nnew line"}',
    b'{"n": 1' + b"0" * 400 + b', "m": -9223372036854775809}',
    b'{"a": "' + b"x" * 200_000 + b'"}',
    b'{"model_name_or_path": "' + b"x/" * 4000 + b'", "accelerate_config": "' + b"y" * 999 + b'"}',
    b'{"model_name_or_path": "~nobody-of-that-name/x", "accelerate_config": "~x"}',
    b'{"model_name_or_path": "a\\u0000b", "accelerate_config": "\\u0000"}',
    b'{"trainer": "gr',
    b"[1, 2]",
    b"\xff\xfe\x00",
    b"",
    b"[" * 5000,
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_give_valid_json_and_plain_text(data: bytes) -> None:
    Path("run.json").write_bytes(data)
    report_ = report(checked("case-echo,case-error", "--format", "json"))
    assert report_["targets"][0]["checks"][1]["state"] == "found"
    text = checked("case-echo,case-error", "--color", "never").stdout
    assert [char for char in text if not char.isprintable() and char != "\n"] == []


@pytest.mark.parametrize(
    "arguments",
    ["gone.json", "run.json gone.json", "run.json --select case-crashed", "x/y --offline"],
)
def test_json_is_given_also_where_nothing_could_be_examined(arguments: str) -> None:
    result = doctor("check", *arguments.split(), "--format", "json")
    report_ = report(result)
    assert result.exit_code == 3
    assert len(report_["problems"]) == ("case" not in arguments)


def test_names_with_control_characters_do_not_reach_the_terminal() -> None:
    name = "a\x1b[31m\nb.json"
    shutil.copy("run.json", name)
    for arguments in ([name], ["gone" + name], [name, "--fix"]):
        result = doctor("check", *arguments, "--select", "case-error")
        assert "\x1b" not in result.output
        assert "a\\x1b[31m\\nb.json" in result.output


def test_a_terminal_that_knows_only_ascii_gets_a_report() -> None:
    result = process("check", "run.json", PYTHONIOENCODING="ascii")
    assert "Traceback" not in result.stderr
    assert "verdict:" in result.stdout


@pytest.mark.parametrize(
    ("option", "variables", "coloured"),
    [
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours(
    option: str, variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = checked("case-error", "--color", option)
    assert ("\x1b[31merror\x1b[0m" in result.stdout) == coloured
    assert "\x1b" not in checked("case-error", "--color", option, "--format", "json").stdout


def test_the_rules_are_listed() -> None:
    text = doctor("rules")
    assert text.exit_code == 0
    assert re.search(r"^case-warning +warning +Something is wrong here\.$", text.stdout, re.M)
    rows = {row["rule"]: row for row in json.loads(doctor("rules", "--format", "json").stdout)}
    assert rows["case-note"]["severity"] == "note"
    assert rows["vllm-tokenizer-lacks-tokens"]["fixable"] is True
    assert rows["case-error"] == {
        "rule": "case-error", "severity": "error", "fixable": False,
        "title": "Something is wrong here.", "why": "It costs a night.", "remedy": "mend it.",
        "versions": "", "seen": "",
    }  # fmt: skip


def test_pages_are_explained() -> None:
    page = doctor("explain", "case-error")
    assert page.exit_code == 0
    assert page.stdout == (
        "case-error  (error, not fixable)\nSomething is wrong here.\n\n"
        "It costs a night.\n\nRemedy: mend it.\n"
    )
    several = doctor("explain", "case-e*").stdout
    assert [name for name in CASES if name in several] == [
        "case-error", "case-elsewhere", "case-exits", "case-echo",
    ]  # fmt: skip


def test_the_surroundings_are_shown() -> None:
    assert doctor("env").stdout.startswith(f"python  {sys.executable}")
    data = json.loads(doctor("env", "--format", "json").stdout)
    assert set(data) == {"python", "packages", "gpus", "note", "probes_confined"}
    assert {"trl", "transformers", "torch", "vllm"} <= set(data["packages"])


@pytest.mark.parametrize("command", ["", *main.commands])
def test_every_command_has_help(command: str) -> None:
    result = doctor(*command.split(), "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage:")
    options = [param for param in (main.commands[command] if command else main).params]
    undocumented = [
        option.name for option in options if isinstance(option, click.Option) and not option.help
    ]
    assert undocumented == [] or set(undocumented) <= {"form", "version"}


def test_not_every_check_that_does_not_concern_is_named() -> None:
    assert "it is about vLLM" not in checked("case-elsewhere,case-clear").stdout
    assert "not concerned: case-elsewhere" in checked("case-e[l]*,case-clear", "-v").stdout


def test_whole_processes_keep_the_same_statuses(tmp_path: Path) -> None:
    path = str(tmp_path / "site")
    for rules, status in {"case-clear": 0, "case-error": 1, "nope-*": 2, "case-skipped": 3}.items():
        result = process("check", "run.json", "--select", rules, PYTHONPATH=path)
        assert result.returncode == status, result.stderr
        assert ("verdict:" in result.stdout) == (status != 2)
        assert bool(result.stderr) == (status == 2)
        assert "\x1b" not in result.stdout


def test_without_an_installation_there_is_a_message_about_rules(tmp_path: Path) -> None:
    source = Path(trl_doctor.__file__).parent
    shutil.copytree(source, tmp_path / "bare" / "trl_doctor")
    paths = [path for path in sys.path if path.endswith("site-packages")]
    (tmp_path / "libraries").mkdir()
    for entry in (child for path in paths for child in Path(path).iterdir()):
        if "trl_doctor" not in entry.name and not entry.name.endswith(".pth"):
            (tmp_path / "libraries" / entry.name).symlink_to(entry)
    where = os.pathsep.join([str(tmp_path / "bare"), str(tmp_path / "libraries")])
    command = [sys.executable, "-S", "-m", "trl_doctor", "check", "run.json"]
    result = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": where}
    )
    assert result.returncode == 3, result.stderr
    assert "no rules are installed: pip install trl-doctor" in result.stderr
    assert "nothing was examined" in result.stdout


CANNOT_WRITE = "trl-doctor: standard output cannot be written to: "
DIFFERS = f"{FIXTURES}/broken-grpo.json --offline --with trl==0.15.2 --with transformers==4.48.3"
OUTPUTS = {
    ">/dev/full": CANNOT_WRITE + "No space left on device\n",
    ">&-": CANNOT_WRITE + "it is closed\n",
    ">/dev/full 2>/dev/full": "",
    ">&- 2>&-": "",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("redirected", OUTPUTS)
@pytest.mark.parametrize(
    "command",
    [
        "rules",
        "--help",
        "check run.json",
        f"check {DIFFERS} --diff",
        "check run.json --format json",
    ],
)
def test_an_output_that_cannot_be_written_is_3_and_one_line(command: str, redirected: str) -> None:
    whole = f"{sys.executable} -m trl_doctor {command} {redirected}"
    result = subprocess.run(whole, shell=True, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (3, OUTPUTS[redirected])


@pytest.mark.parametrize("command", ["rules", "explain '*'", "check run.json --format json"])
def test_a_closed_pipe_is_3_and_one_line(command: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    whole = [sys.executable, "-m", "trl_doctor", *shlex.split(command)]
    result = subprocess.run(whole, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    assert (result.returncode, result.stderr) == (3, CANNOT_WRITE + "Broken pipe\n")


def test_a_terminal_that_has_gone_is_3_and_one_line() -> None:
    ours, theirs = os.openpty()
    os.close(ours)
    command = [sys.executable, "-m", "trl_doctor", "rules"]
    result = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    assert (result.returncode, result.stderr) == (3, CANNOT_WRITE + "Input/output error\n")


def test_a_report_is_written_even_if_stderr_is_closed() -> None:
    command = f"{sys.executable} -m trl_doctor check run.json gone.json --format json 2>&-"
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert result.returncode == 3
    assert json.loads(result.stdout)["problems"]


def test_healthy_fixtures_pass_and_broken_ones_fail() -> None:
    args = ["--select", "vllm-tokenizer-lacks-tokens"]
    assert doctor("check", str(FIXTURES / "broken-vllm.yaml"), *args).exit_code == 1
    args = ["--select", "file-*", "--trainer", "grpo"]
    for healthy in ("grpo.yaml", "ppo.yaml", "models/healthy", "models/healthy/config.json"):
        assert doctor("check", str(FIXTURES / healthy), *args).exit_code == 0


def test_reports_in_files_only_are_named(tmp_path: Path) -> None:
    run = str(Path(__file__).parents[2] / "fixtures/sft.yaml")
    options = ["--level", "files", "-o", f"json={tmp_path}/a.json", "-o", f"sarif={tmp_path}/b"]
    result = CliRunner().invoke(main, ["check", run, *options])
    assert result.stdout == ""
    words = f"trl-doctor: 1 failed; the report is in {tmp_path}/a.json, {tmp_path}/b\n"
    assert result.stderr == words
    assert CliRunner().invoke(main, ["check", run, *options, "-q"]).stderr == ""


def test_options_of_a_run_file_count() -> None:
    run = str(Path(__file__).parents[2] / "fixtures/dpo.yaml")
    options = ["--select", "case-echo", "-o", "concise", "--", "--beta", "0.3", "--no_bf16"]
    result = CliRunner().invoke(main, ["check", run, *options])
    assert "case-echo beta is 0.3" in result.stdout
    assert "case-echo bf16 is False" in result.stdout
    assert "case-echo learning_rate is 5e-07" in result.stdout


def test_a_reason_is_printed_once_a_stream() -> None:
    result = doctor("check", "rum.json", "-o", "concise")
    for stream in (result.stdout, result.stderr):
        assert stream.count("there is no such file or folder; did you mean run.json?") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--timeout", "nan"], "--timeout is a number of seconds"),
        (["--vllm-server", "no sense"], "write it like http://host:8000"),
        (["--vllm-server", "http://"], "write it like http://host:8000"),
        (["--level", "files", "--keep", "kept"], "--level files, which runs no probes"),
        (["--memory-limit", "plenty"], "is no size"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: list[str], says: str) -> None:
    run = str(Path(__file__).parents[2] / "fixtures/sft.yaml")
    refused = CliRunner().invoke(main, ["check", run, *options])
    assert refused.exit_code == 2
    assert says in refused.stderr


def test_many_required_checks_that_did_not_run_are_one_line() -> None:
    names = [f"step-{name}" for name in "abcd"]
    assert required_checks(names) == "4 required checks (step-a, step-b, step-c, …)"
    assert required_checks(names[:1]) == "step-a is required and"
