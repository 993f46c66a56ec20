"""Findings that are known: ignored by a comment, by the settings, by a baseline, with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_plugin import plugin

from trl_doctor.commands.cli import main

CASES = {
    "case-key": "yield Finding(facts.run.place('beta'), 'beta is wrong')",
    "case-model": "from trl_doctor.core.finding import Place\n"
    "yield Finding(Place(facts.run.policy.file('config.json')), 'the model is wrong')",
    "case-clear": "",
}
RUN = "# trl-doctor: trainer=sft\nmodel_name_or_path: m\nbeta: 0.5\n"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(plugin(tmp_path / "site", CASES))
    (tmp_path / "work" / "m").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    Path("m/config.json").write_text('{"model_type": "llama"}')


def check(run: str, *options: str, select: str = "case-*") -> tuple[int, dict[str, Any]]:
    """The exit status, and what was found and ignored by rule."""
    Path("run.yaml").write_text(run)
    given = ["check", "run.yaml", "--offline", "--select", select, "--output", "json", *options]
    result = CliRunner().invoke(main, given)
    if result.exit_code == 2:
        return 2, {"said": result.stderr}
    (target,) = json.loads(result.stdout)["targets"]
    by_name: dict[str, Any] = {}
    for entry in target["checks"]:
        messages = [finding["message"] for finding in entry["findings"]]
        messages += [f"ignored: {ignored['reason']}" for ignored in entry["ignored"]]
        by_name |= {entry["rule"]: messages} if messages else {}
    return result.exit_code, by_name


def test_a_comment_behind_a_key_ignores_what_is_found_there() -> None:
    run = RUN.replace("0.5", "0.5  # trl-doctor: ignore[case-key] we want it so")
    assert check(run) == (
        1, {"case-key": ["ignored: we want it so"], "case-model": ["the model is wrong"]}
    )  # fmt: skip
    run = RUN.replace("path: m", "path: m  # trl-doctor: ignore[case-model] it is being retrained")
    assert check(run)[1]["case-model"] == ["ignored: it is being retrained"]
    run = RUN.replace("path: m", "path: m  # trl-doctor: ignore[case-key] the wrong line")
    assert check(run)[1]["case-key"] == ["beta is wrong"]


def test_a_comment_of_its_own_line_ignores_in_the_whole_run() -> None:
    status, output = check("# trl-doctor: ignore[case-*] all is well\n" + RUN)
    assert (status, output["case-key"]) == (0, ["ignored: all is well"])


def test_an_ignore_that_matches_nothing_is_a_warning() -> None:
    run = "# trl-doctor: ignore[case-clear] once it was\n" + RUN
    assert check(run)[1]["ignore-unused"] == ["case-clear is ignored, but there is no such finding"]
    assert "ignore-unused" not in check(run, select="case-key")[1]


def test_an_ignore_of_no_rule_is_an_error_with_a_suggestion() -> None:
    status, output = check("# trl-doctor: ignore[case-kee] why not\n" + RUN, select="case-clear")
    assert status == 1
    assert output["ignore-unknown-rule"] == ["no rule is called case-kee; did you mean case-key?"]


IGNORE = "[[ignore]]\npath = '{}'\nrule = '{}'\nreason = 'JSON has no comments'\n"


def test_the_settings_ignore_by_path_and_rule() -> None:
    Path("trl-doctor.toml").write_text(IGNORE.format("*.yaml", "case-key"))
    assert check(RUN)[1]["case-key"] == ["ignored: JSON has no comments"]
    Path("trl-doctor.toml").write_text(IGNORE.format("other/*.yaml", "case-key"))
    assert check(RUN)[1]["case-key"] == ["beta is wrong"]
    Path("trl-doctor.toml").write_text(IGNORE.format("*", "case-kee"))
    status, output = check(RUN)
    assert (status, "did you mean case-key?" in output["said"]) == (2, True)


def test_the_settings_set_the_severity_of_a_rule() -> None:
    Path("trl-doctor.toml").write_text("[severity]\n'case-*' = 'note'\n")
    assert check(RUN)[0] == 0
    assert check(RUN, "--fail-on", "note")[0] == 1


def test_a_baseline_hides_what_stands_in_it_and_fails_when_it_is_stale() -> None:
    assert check(RUN, "--baseline", "b.json")[0] == 2
    assert check(RUN, "--baseline", "b.json", "--update-baseline")[0] == 1
    assert check(RUN, "--baseline", "b.json")[0] == 0
    output = check(RUN, "--baseline", "b.json")[1]
    assert output["case-key"] == ["ignored: it is in the baseline"]
    run = RUN + "# another line\n" + "gamma: 1\n"
    assert check(run, "--baseline", "b.json")[0] == 0
    stale = json.loads(Path("b.json").read_text())
    stale["targets"]["run.yaml"][0]["fingerprint"] = "gone"
    Path("b.json").write_text(json.dumps(stale))
    status, output = check(RUN, "--baseline", "b.json")
    assert status == 1
    assert output["baseline-stale"] == ["1 finding of the baseline no longer occurs: case-key"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "x"}', "[" * 9999, '{"format": 3'])
def test_what_is_no_baseline_is_wrong_usage(text: str) -> None:
    Path("b.json").write_text(text)
    status, output = check(RUN, "--baseline", "b.json")
    assert (status, "--baseline b.json: it is not a baseline" in output["said"]) == (2, True)


SCRIPT = """\
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", max_steps=1, learning_rat=1)  # trl-doctor: COMMENT
trainer = SFTTrainer("m", args=args)
"""


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("ignore[argument-unknown] a plugin reads it", ""),
        ("ignore[argument-*] a plugin reads it", ""),
        ("ignore[argument-unknown]", "write why argument-unknown is ignored, after ]"),
        ("ignore[argument-unknwn] why", "no rule is called argument-unknwn; did you mean"),
    ],
)
def test_a_comment_in_a_script_ignores_what_is_found_at_its_line(comment: str, says: str) -> None:
    Path("train.py").write_text(SCRIPT.replace("COMMENT", comment))
    given = ["check", "train.py", "--with", "trl==1.16.0", "--offline", "--level", "files"]
    result = CliRunner().invoke(main, [*given, "--output", "concise"])
    assert ("argument-unknown SFTTrainer" in result.stdout) == bool(says), result.stdout
    assert says in result.stdout
