"""One real step of runs that write files, need a GPU, or have code or models of another kind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, doctor
from laid import Interpreter
from ruamel.yaml import YAML
from stepping import GRPO, Broken, candidate, findings_of

WRITES = """
from pathlib import Path
HERE = Path(__file__).parent


def logs(completions, **_):
    (HERE / "rows.txt").write_text("changed")
    return [0.0 for _ in completions]


def logs_later(completions, **_):
    if len(completions) > 2:
        return logs(completions)
    return [float(number) for number, _ in enumerate(completions)]
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("grpo-first", "current"))
def test_rewards_of_a_step_do_not_change_the_run(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {**GRPO, "reward_funcs": ["writing.logs"]}
    file = candidate(tmp_path, Broken("", environment, "", run))
    (tmp_path / "writing.py").write_text(WRITES)
    (tmp_path / "rows.txt").write_text("42")
    assert findings_of(python, [file], "--keep", str(tmp_path / "kept"))["run"] == {}
    data = json.loads((tmp_path / "kept/step/answer.json").read_text())["answer"]
    assert "a probe may not change" in data["rewards_left_out"]["writing.logs"]
    file.write_text(json.dumps({**run, "reward_funcs": ["writing.logs_later"]}))
    assert refusal(python, file).startswith("the step would change the run's files")
    assert (tmp_path / "rows.txt").read_text() == "42"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("four", "current"))
def test_a_run_for_a_gpu_without_clipping_steps(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """`max_grad_norm: .inf`, and a model that would be loaded onto a GPU in 4 bits."""
    python = interpreter(environment)
    init = {"device_map": "auto", "attn_implementation": "flash_attention_2",
            "quantization_config": {"load_in_4bit": True}}  # fmt: skip
    run = {**GRPO, "max_grad_norm": float("inf"), "model_init_kwargs": init}
    file = candidate(tmp_path, Broken("", environment, ""))
    file.unlink()
    file = tmp_path / "run.yaml"
    YAML(typ="safe").dump(run, file)
    assert findings_of(python, [file], "--keep", str(tmp_path / "kept"))["run"] == {}
    data = json.loads((tmp_path / "kept/step/answer.json").read_text())["answer"]
    assert data["loss"] is not None
    assert {f"model_init_kwargs.{name}" for name in init} <= set(data["changed"])
    assert 'float("inf")' in (tmp_path / "kept/step/work/repeat.py").read_text()


@pytest.mark.slow
def test_a_folder_of_an_adapter_is_reported_before_the_step(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    file = candidate(tmp_path, Broken("", "current", ""))
    (tmp_path / "model/config.json").rename(tmp_path / "model/adapter_config.json")
    flags = ("--level", "tiny", "--select", "step-raises,adapter-in-place-of-model")
    outcomes = checks(file, interpreter("current"), *flags)
    (finding,) = outcomes["adapter-in-place-of-model"]["findings"]
    assert finding["severity"] == "error"
    assert outcomes["step-raises"]["state"] == "skipped"
    assert "is an adapter" in outcomes["step-raises"]["reason"]


def refusal(python: Path, file: Path) -> str:
    """Why no step can be taken."""
    folder = file.parent / "refused"
    flags = ("--offline", "--level", "tiny", "--select", "step-*", "--keep", folder)
    doctor("check", file, "--python", python, *flags)
    return str(json.loads((folder / "step/answer.json").read_text())["refused"])


CODE = """
from transformers import PreTrainedTokenizerFast


class Own(PreTrainedTokenizerFast):
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("four", "current"))
def test_a_tokenizer_with_code_that_is_kept_apart_steps_where_it_is_trusted(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {**GRPO, "tokenizer_name_or_path": "apart"}
    file = candidate(tmp_path, Broken("", environment, "", run))
    shutil.copytree(tmp_path / "model", tmp_path / "apart", ignore=lambda _, names: [
        name for name in names if not name.startswith(("tokenizer", "chat"))
    ])  # fmt: skip
    options = tmp_path / "apart/tokenizer_config.json"
    config = {**json.loads(options.read_text()), "tokenizer_class": "Own"}
    config["auto_map"] = {"AutoTokenizer": [None, "own.Own"]}
    options.write_text(json.dumps(config))
    (tmp_path / "apart/own.py").write_text(CODE)
    flags = ("--trust-remote-code", "--keep", str(tmp_path / "kept"))
    assert findings_of(python, [file], *flags)["run"] == {}
    data = json.loads((tmp_path / "kept/step/answer.json").read_text())["answer"]
    assert data["tokenizer"] == "Own"
