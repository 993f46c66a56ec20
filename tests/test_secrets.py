"""Planted secrets reach no report in any format, no kept folder and no message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from asking.questions import PYTHON, ask, hostile
from click.testing import CliRunner

from trl_doctor.asking.probes import Probes
from trl_doctor.commands.cli import main
from trl_doctor.core.secrets import of_environment, of_run, redacted
from trl_doctor.reports.formats import FORMATS

TOKEN = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz"
PLANTED = {
    "HF_TOKEN": TOKEN,
    "WANDB_API_KEY": "0123456789abcdef0123456789abcdef01234567",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "DB_PASSWORD": "hunter2\"<&'\\",
}
RUN_SECRETS = ("run-secret-value", "another-secret-value", "deep-secret-value")
RUN = f"""trainer: grpo
model_name_or_path: https://me:{RUN_SECRETS[0]}@example.org/model
hub_token: {RUN_SECRETS[1]}
hub_tokn: {TOKEN}
learning_rate: {PLANTED["WANDB_API_KEY"]}
num_generations: {PLANTED["AWS_SECRET_ACCESS_KEY"]}
beta: {RUN_SECRETS[2]}
eos_token: end-of-text
env:
  AWS_SECRET_ACCESS_KEY: {PLANTED["AWS_SECRET_ACCESS_KEY"]}
  MY_API_KEY: {RUN_SECRETS[2]}
"""
SECRETS = (*PLANTED.values(), *RUN_SECRETS)


@pytest.fixture(autouse=True)
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    Path("run.yaml").write_text(RUN)


@pytest.mark.parametrize("form", FORMATS)
def test_no_report_holds_a_secret(form: str) -> None:
    options = ["--output", form, "--with", "trl==1.16.0", "--with", "transformers==5.23.0", "-v"]
    result = CliRunner().invoke(main, ["check", "run.yaml", "gone-" + TOKEN, *options])
    assert result.exit_code in (1, 3), result.output
    assert "learning" in result.output
    for secret in SECRETS:
        assert secret not in result.output
    assert "[redacted]" in result.output


@pytest.mark.parametrize("form", FORMATS)
def test_a_password_may_be_a_word_in_the_names_of_rules(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "argument")
    result = CliRunner().invoke(main, ["check", "--level", "files", "--output", form, "run.yaml"])
    assert result.exit_code in (1, 3), result.output
    assert isinstance(result.exception, SystemExit)


def test_no_kept_folder_holds_a_secret(tmp_path: Path) -> None:
    text = "\n".join((*PLANTED.values(), RUN_SECRETS[1]))
    leak = f"print({text!r}); [open(name, 'w').write({text!r}) for name in ('repeat.py', 'x.log')]"
    arguments = {"hub_token": RUN_SECRETS[1], "seed": 1}
    question = hostile("raise secrets", code=leak, arguments=arguments)
    with Probes(PYTHON, keep=tmp_path / "kept") as probes:
        answers = ask(probes, question, hostile("write repeat.py"))
    assert answers[0].state == "raised"
    own = [file.read_text() for file in (tmp_path / "kept").glob("*/work/repeat.py")]
    assert sorted(text.count("[redacted]") for text in own) == [0, len(PLANTED) + 1]
    files = [file for file in (tmp_path / "kept").rglob("*") if file.is_file()]
    assert len(files) > 4
    for file in files:
        data = file.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in data], file


def test_what_is_a_secret_and_what_is_not() -> None:
    names = {"HF_TOKEN", "OPENAI_API_KEY", "GIT_PASSWORD", "MY_SECRET", "AZURE_CLIENT_SECRET"}
    plain = {"TOKENIZERS_PARALLELISM": "falsefalse", "PATH": "/usr/bin", "KEYBOARD": "qwertyui"}
    variables = {**dict.fromkeys(names, "some-value"), **plain, "X_TOKEN": "short"}
    assert of_environment(variables) == {"some-value"}
    run = {"pad_token": "<|padding|>", "stop_token": "end-of-text", "max_new_tokens": 1234567,
           "hub_token": "first-one", "env": {"A_KEY": "second-one", "B": "third-one"},
           "models": [{"api_key": "fourth-one"}]}  # fmt: skip
    assert set(of_run(run)) == {"first-one", "second-one", "fourth-one"}
    assert redacted("eos_token <|im_end|> hf_transfer sk-learn") == (
        "eos_token <|im_end|> hf_transfer sk-learn"
    )


def test_messages_hold_no_secret() -> None:
    given = f"./{os.environ['HF_TOKEN']}/{PLANTED['WANDB_API_KEY']}"
    result = CliRunner().invoke(main, ["check", given])
    assert TOKEN not in result.output
    assert PLANTED["WANDB_API_KEY"] not in result.output


def test_a_script_is_reported_though_not_all_of_it_is_known() -> None:
    script = "import os\nfrom trl import GRPOConfig, GRPOTrainer\n"
    script += (
        f"args = GRPOConfig(output_dir='out', hub_token='{RUN_SECRETS[1]}', seed=os.getpid())\n"
    )
    script += "GRPOTrainer('m', reward_funcs=[lambda **_: [1.0]], args=args).train()\n"
    Path("train.py").write_text(script)
    result = CliRunner().invoke(main, ["check", "train.py", "--level", "files", "--output", "json"])
    assert "the doctor itself failed" not in result.output
    assert RUN_SECRETS[1] not in result.output
