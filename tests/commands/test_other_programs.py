"""Run files of Axolotl and LLaMA-Factory: what means the same in TRL is examined."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"
AXOLOTL = (
    "base_model: models/healthy\nrl: dpo\nsequence_len: 2048\nmicro_batch_size: 2\n"
    "adapter: lora\nlora_target_modules: [q_proj]\nbf16: true\ndatasets: [{path: x}]\n"
)
FACTORY = (
    "model_name_or_path: models/healthy\nstage: rm\nfinetuning_type: lora\ncutoff_len: 2048\n"
    "dataset: x\ntemplate: llama3\noutput_dir: out\n"
)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(FIXTURES / "models", tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(text: str, status: int = 3) -> dict[str, Any]:
    Path("run.yaml").write_text(text)
    stated = ["--with", "trl==1.16.0", "--with", "transformers==5.23.0"]
    command = ["check", "run.yaml", "--offline", *stated, "--format", "json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == status, result.output
    target: dict[str, Any] = json.loads(result.stdout)["targets"][0]
    return target


def states(target: dict[str, Any]) -> dict[str, str]:
    return {check["rule"]: check["state"] for check in target["checks"]}


@pytest.mark.parametrize(
    ("text", "trainer", "words"),
    [(AXOLOTL, "dpo", "lora_target_modules, datasets"), (FACTORY, "reward", "dataset, template"),
     (AXOLOTL.replace("rl: dpo\n", ""), "sft", "lora_target_modules, datasets"),
     (FACTORY.replace("rm", "pt"), None, "dataset, template")],
)  # fmt: skip
def test_what_means_the_same_is_examined(text: str, trainer: str | None, words: str) -> None:
    target = checked(text)
    assert target["trainer"] == trainer
    assert f"alone understands was not examined: {words}" in json.dumps(target)
    by_rule = states(target)
    assert {by_rule["model-folder-missing"], by_rule["checkpoint-damaged"]} == {"clear"}
    assert {by_rule["tokenizer-pad-missing"], by_rule["argument-unknown"]} == {"skipped"}


@pytest.mark.parametrize(
    ("text", "key"),
    [(AXOLOTL.replace("models/healthy", "./gone"), "/base_model"),
     (FACTORY.replace("models/healthy", "./gone"), "/model_name_or_path")],
)  # fmt: skip
def test_a_finding_names_the_key_of_the_file(text: str, key: str) -> None:
    target = checked(text, 1)
    places = [finding["pointer"] for check in target["checks"] for finding in check["findings"]]
    assert key in places


def test_nothing_is_written_into_such_a_file() -> None:
    Path("run.yaml").write_text(AXOLOTL.replace("models/healthy", "models/no-pad-no-stop"))
    before = Path("run.yaml").read_bytes()
    CliRunner().invoke(main, ["check", "run.yaml", "--offline", "--fix"])
    assert Path("run.yaml").read_bytes() == before
