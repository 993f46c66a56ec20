"""How a step is laid out: what is copied, written and left out, and which files are kept."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from test_step_facts import plan, request

from trl_doctor.probes import step as step_probe
from trl_doctor.probes.layout import own_rewards, planning
from trl_doctor.probes.layout.argument_tables import NO_GPU
from trl_doctor.probes.layout.arguments import Arguments
from trl_doctor.probes.layout.habits import Habits
from trl_doctor.probes.layout.rows import rows
from trl_doctor.probes.layout.script import script
from trl_doctor.probes.loading.adapter import adapter_settings, flag
from trl_doctor.probes.loading.small_files import copied
from trl_doctor.probes.refusal import Refused
from trl_doctor.probes.vllm_engine.logprobs import precision
from trl_doctor.probes.watching import saving


def test_what_is_not_finite_is_written_as_python() -> None:
    run = {"max_grad_norm": float("inf"), "args": {"low": [float("-inf"), 1.5, float("nan")]}}
    text = script(plan("sft", arguments=run, adapter={"lora_alpha": float("inf")}))
    (written,) = (
        eval(compile(ast.Expression(node.value), "", "eval"), {"float": float})
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ARGUMENTS"
    )
    assert written["max_grad_norm"] == math.inf
    assert written["args"]["low"][:2] == [-math.inf, 1.5]
    assert math.isnan(written["args"]["low"][2])
    assert "ModelConfig(**{'lora_alpha': float(\"inf\")})" in text


def test_a_step_that_cannot_be_written_or_imported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    laid = SimpleNamespace(plan=plan("sft"))
    monkeypatch.setattr(step_probe, "laid_out", lambda *_: laid)
    monkeypatch.setattr(step_probe, "script", lambda plan, **_: "import = 1")
    with pytest.raises(Refused, match="the step could not be prepared: SyntaxError"):
        step_probe.prepared({"roots": [], "folders": {}})


def test_a_step_that_writes_into_the_run_is_refused(tmp_path: Path) -> None:
    run = {"roots": [str(tmp_path)], "folders": {"policy": None}}
    why = "the step would change the run's files: no log"
    with pytest.raises(Refused, match=why), step_probe.files_kept(run):
        try:
            (tmp_path / "rows.txt").write_text("new")
        except OSError as error:
            raise RuntimeError("no log") from error
    with pytest.raises(RuntimeError), step_probe.files_kept(run):
        raise RuntimeError("of the trainer")
    assert list(tmp_path.iterdir()) == []


ON_CPU: dict[str, Any] = {"arguments": {}, "device": "cpu"}


def test_options_that_the_command_replaces_are_left_out() -> None:
    replaces = Habits(options=False, replaces=True)
    for classes, kept in ((None, False), ({"policy": "AutoModelForCausalLM"}, True)):
        arguments = Arguments({"model_init_kwargs": {"dtype": "float32"}}, {})
        planning._options({**ON_CPU, "script": classes}, replaces, arguments)
        assert ("model_init_kwargs" in arguments.used) == kept


def test_what_loads_a_model_on_a_gpu_is_left_out_on_a_cpu() -> None:
    given = {"device_map": "auto", "attn_implementation": "flash_attention_2", "dtype": "float32"}
    for options in (given, json.dumps(given)):
        arguments = Arguments({"model_init_kwargs": options}, {})
        planning._options(ON_CPU, Habits(options=False), arguments)
        assert arguments.used["model_init_kwargs"] == {"dtype": "float32"}
        assert set(arguments.changed) == {
            "model_init_kwargs.device_map",
            "model_init_kwargs.attn_implementation",
        }
        assert arguments.changed["model_init_kwargs.device_map"] == ("auto", None, NO_GPU)
    arguments = Arguments({"model_init_kwargs": given}, {})
    planning._options({**ON_CPU, "device": "cuda"}, Habits(options=False), arguments)
    assert (arguments.used["model_init_kwargs"], arguments.changed) == (given, {})


@pytest.mark.parametrize("trusted", [True, False])
def test_small_files_are_copied_with_code_where_it_is_trusted(
    tmp_path: Path, trusted: bool
) -> None:
    source, into = tmp_path / "from", tmp_path / "to"
    (source / "additional_chat_templates").mkdir(parents=True)
    names = ("config.json", "adapter_config.json", "model.safetensors.index.json", "own.py",
             "model.safetensors", "additional_chat_templates/tools.jinja")  # fmt: skip
    for name in names:
        (source / name).write_text("{}")
    into.mkdir()
    copied(source, into, trusted, spared=("config.json",))
    copies = {str(file.relative_to(into)) for file in into.rglob("*") if file.is_file()}
    code = {"own.py"} if trusted else set()
    assert copies == {"additional_chat_templates/tools.jinja"} | code


@pytest.mark.parametrize("word", [True, "true", "T", "yes", "y", "1", "on", " On "])
def test_a_flag_is_read_alike_by_all(word: Any) -> None:
    assert flag(word)
    assert precision({"fp16": word}) == "float16"
    assert precision({"bf16": word}) == "bfloat16"


def test_a_flag_that_is_off_is_off_for_all() -> None:
    assert not flag("off") and not flag(None)
    assert (precision({}), precision({"bf16": "off"})) == ("bfloat16", None)


def test_an_adapter_keeps_the_settings_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclasses.dataclass
    class ModelConfig:
        use_peft: bool = False
        use_dora: bool = False
        use_rslora: bool = False
        lora_r: int = 16

    monkeypatch.setitem(sys.modules, "trl", SimpleNamespace(ModelConfig=ModelConfig))
    run = {"use_peft": "on", "use_dora": "yes", "use_rslora": "off", "lora_r": "4", "other": 1}
    expected = {"use_peft": True, "use_dora": True, "use_rslora": False, "lora_r": 4}
    request = {"arguments": run}
    assert (
        planning._adapter(request, Arguments({}, {}))
        == adapter_settings(run, by_class=False)
        == expected
    )
    assert adapter_settings({**run, "use_peft": "off"}, by_class=False) == {}


def test_a_single_target_of_a_script_is_no_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclasses.dataclass
    class ModelConfig:
        use_peft: bool = False
        lora_target_modules: list[str] | None = None

    monkeypatch.setitem(sys.modules, "trl", SimpleNamespace(ModelConfig=ModelConfig))
    run = {"use_peft": True, "lora_target_modules": ["q_proj"]}
    assert adapter_settings(run, by_class=False)["lora_target_modules"] == ["q_proj"]
    assert adapter_settings(run, by_class=True)["lora_target_modules"] == ["q_proj", "q_proj"]
    run["lora_target_modules"] = ["all-linear"]
    assert adapter_settings(run, by_class=True)["lora_target_modules"] == ["all-linear"]


def test_rows_that_the_trainer_takes_as_they_are_are_not_made(tmp_path: Path) -> None:
    request: dict[str, Any] = {
        "trainer": {"name": "sft"},
        "arguments": {"dataset_kwargs": '{"skip_prepare_dataset": true}'},
        "data": {"files": []},
    }
    with pytest.raises(Refused, match=r"skip_prepare_dataset.* not known here"):
        rows(request, conversational=False)
    file = tmp_path / "rows.jsonl"
    file.write_text('{"input_ids": [1, 2, 3]}\n')
    request["data"]["files"] = [str(file)]
    assert rows(request, conversational=False).source == "rows.jsonl"


def test_weights_stay_with_their_rewards_where_some_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(own_rewards, "_tried", lambda name, *_: "broken" if name == "m.bad" else "")
    run = {"folders": {"reward": "r"}, "arguments": {"reward_funcs": ["m.bad", "m.bad", "m.good"]}}
    choice = own_rewards.chosen(run, object, rows(request("grpo"), False), Habits())
    assert choice.left_out == {"m.bad": "broken"}
    assert choice.kept == [0, 3]
    assert choice.weights([1.0, 2.0, 3.0, 4.0]) == [1.0, 4.0, 1.0]


class _Trainer:
    def train(self, resume_from_checkpoint: str | None = None) -> None: ...


def test_only_runs_that_save_are_resumed() -> None:
    assert saving.resumes({}, _Trainer) and saving.resumes({"save_strategy": "epoch"}, _Trainer)
    for never in ("no", False):
        assert not saving.resumes({"save_strategy": never}, _Trainer)
    assert not saving.resumes({}, SimpleNamespace)


@pytest.mark.parametrize("resumes", [True, False])
def test_the_script_resumes_where_the_run_can(resumes: bool) -> None:
    text = script(plan("sft", resumes=resumes))
    ast.parse(text)
    assert ("train(resume_from_checkpoint=checkpoint)" in text) == resumes
    assert ('if "resume" in sys.argv' in text) == resumes
