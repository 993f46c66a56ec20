"""What the step's probe plans, and what the facts make of its answers, without any library."""

from __future__ import annotations

import ast
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version
from trl_doctor_rules._recorded.runs import recorded

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.question import Answer, Question, Raised
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import control, installation_at_fault, step
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.step import StepAnswer
from trl_doctor.probes.layout.arguments import arguments
from trl_doctor.probes.layout.habits import Habits
from trl_doctor.probes.layout.plan import Plan
from trl_doctor.probes.layout.rows import rows
from trl_doctor.probes.layout.script import script
from trl_doctor.probes.values import typed
from trl_doctor.probes.watching.completions import CompletionWatch
from trl_doctor.testing import answered

FIXTURES = Path(__file__).parents[2] / "fixtures"
FRAME = ("site-packages/trl/trainer/utils.py", 1638, "_fused_forward", "x.apply(")


@dataclasses.dataclass
class Config:
    """A config class of a trainer, as far as these tests need one."""

    learning_rate: float = 1e-6
    max_steps: int = -1
    num_generations: int = 8
    per_device_train_batch_size: int = 8
    max_completion_length: int = 256
    use_cpu: bool = False
    fp16: bool = False
    optim: str = "adamw_torch"
    use_vllm: bool = False
    deepspeed: str | None = None


@dataclasses.dataclass
class Sampled(Config):
    """A config class with sampling arguments."""

    top_k: int = 0
    generation_kwargs: dict[str, Any] | None = None


def test_sampling_arguments_of_vllm_are_not_passed_to_transformers() -> None:
    run = {"top_k": -1, "generation_kwargs": {"stop": ["x"], "top_k": -1, "max_tokens": 99}}
    used = arguments(Sampled, {"use_vllm": True, **run}, "grpo", "cpu").used
    assert (used["use_vllm"], used["top_k"], used["generation_kwargs"]) == (False, 0, {})
    used = arguments(Sampled, {"use_vllm": True, **run}, "grpo", "cpu", engine=True).used
    assert (used["use_vllm"], used["top_k"]) == (True, -1)
    assert used["generation_kwargs"] == {"stop": ["x"], "top_k": -1, "max_tokens": 24}
    used = arguments(Sampled, run, "grpo", "cpu").used
    assert (used["top_k"], used["generation_kwargs"]) == (-1, run["generation_kwargs"])


def test_token_ids_that_a_run_file_has_as_texts() -> None:
    run = {"use_vllm": True, "generation_kwargs": {"logit_bias": {"42": 5.0}}}
    used = arguments(Sampled, run, "grpo", "cpu", engine=True).used
    assert used["generation_kwargs"] == {"logit_bias": {42: 5.0}}


def test_sizes_shrink_and_the_rest_stays() -> None:
    run = {"learning_rate": 3e-6, "num_generations": 16, "max_completion_length": 8}
    result = arguments(Config, run, "grpo", "cpu")
    assert result.used["learning_rate"] == 3e-6
    assert result.used["max_completion_length"] == 8
    assert result.used["num_generations"] == result.used["per_device_train_batch_size"] == 4
    assert result.used["max_steps"] == 1
    assert result.changed == {"num_generations": (16, 4, "one small step is enough")}


def test_arguments_that_reach_outside_are_left_out_and_reported() -> None:
    run = {"deepspeed": "zero3.json", "use_vllm": True, "fp16": True, "optim": "paged_adamw_8bit"}
    result = arguments(Config, run, "grpo", "cpu")
    assert "deepspeed" not in result.used and "fp16" not in result.used
    assert (result.used["use_vllm"], result.used["optim"]) == (False, "adamw_torch")
    assert set(result.changed) == set(run)
    assert result.changed["use_vllm"] == (True, False, "another check asks the engine")


def test_a_gpu_takes_what_a_cpu_does_not() -> None:
    run = {"fp16": True, "optim": "paged_adamw_8bit"}
    result = arguments(Config, run, "grpo", "cuda")
    assert (result.used["fp16"], result.used["optim"]) == (True, "paged_adamw_8bit")
    assert "use_cpu" not in result.used


def test_keys_of_others_are_no_arguments() -> None:
    result = arguments(Config, {"dataset_name": "x", "reward_funcs": ["y"]}, "grpo", "cpu")
    assert not {"dataset_name", "reward_funcs"} & set(result.used)


@pytest.mark.parametrize(
    ("value", "kind", "number"),
    [
        ("1e-6", "float", 1e-6),
        ("4", "int | None", 4),
        ("4", "str | int", "4"),
        ("yes", "bool", True),
        ("x", "float", "x"),
        (True, "int", True),
    ],
)
def test_texts_become_numbers_as_for_trl(value: Any, kind: str, number: Any) -> None:
    assert typed(value, kind) == number


def request(trainer: str, *files: Path) -> dict[str, Any]:
    return {
        "trainer": {"name": trainer},
        "data": {"files": [str(file) for file in files]},
        "arguments": {},
    }


def test_own_rows_come_shortest_first(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    all_rows = [{"prompt": "long " * 9, "answer": 1}, {"prompt": "short", "answer": 2}]
    file.write_text("".join(json.dumps(row) + "\n" for row in all_rows))
    data_rows = rows(request("grpo", file), conversational=True)
    assert (data_rows.source, data_rows.conversational) == ("rows.jsonl", False)
    assert data_rows.rows[:2] == all_rows[::-1]
    assert len(data_rows.rows) >= 8


def test_long_rows_are_cut_for_a_small_step_and_stay_the_runs_own(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"prompt": [{"role": "user", "content": "x" * 9000}]}) + "\n")
    data_rows = rows(request("grpo", file), conversational=True)
    assert data_rows.source == "rows.jsonl"
    assert {len(row["prompt"][0]["content"]) for row in data_rows.rows} == {2000}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"question": "?"}\n', "its columns are question; it needs prompt"),
        ("{not json\n", "cannot be read"),
        ("[1, 2]", "a row is no mapping"),
        ("", "has no rows"),
    ],
)
def test_rows_that_do_not_fit_are_replaced_and_reported(
    tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text)
    data_rows = rows(request("grpo", file), conversational=True)
    assert data_rows.source == "made"
    assert why in data_rows.why
    assert isinstance(data_rows.rows[0]["prompt"], list)


@pytest.mark.parametrize("trainer", ["grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward"])
@pytest.mark.parametrize("conversational", [True, False])
def test_made_rows_differ_in_length(trainer: str, conversational: bool) -> None:
    data_rows = rows(request(trainer), conversational)
    sizes = {len(json.dumps(row)) for row in data_rows.rows}
    assert len(sizes) == 2


def plan(trainer: str, **more: Any) -> Plan:
    stem = trainer.upper()
    fields: dict[str, Any] = {
        "parameters": frozenset(("model", "args", "processing_class", "train_dataset")),
        "arguments": {"max_steps": 1},
        "habits": Habits(by_path=True, tokenizer=False, found=True),
        "options": {"dtype": "'float32'"},
        "adapter": {},
        "models": frozenset(("policy",)),
        "own_tokenizer": False,
        "conversational": True,
        "step_rows": 2 if trainer == "sft" else 0,
        "seed": 42,
    }
    return Plan(trainer, f"{stem}Trainer", f"{stem}Config", "trl", **{**fields, **more})


def test_the_script_is_python_that_names_what_it_uses() -> None:
    text = script(plan("sft", adapter={"use_peft": True, "lora_r": 4}))
    ast.parse(text)
    assert "from trl import SFTConfig, SFTTrainer" in text
    assert 'model=str(HERE / "model")' in text
    assert "peft_config=get_peft_config(ModelConfig(**{'use_peft': True, 'lora_r': 4}))" in text
    assert "range(min(2, len(trainer.train_dataset)))" in text


def test_the_script_pads_as_trls_own_does() -> None:
    loads = Habits(tokenizer=True, pad="where missing", found=True)
    text = script(plan("sft", habits=loads, options={"torch_dtype": "torch.bfloat16"}))
    ast.parse(text)
    assert (
        "if tokenizer.pad_token is None:\n        tokenizer.pad_token = tokenizer.eos_token" in text
    )
    assert 'AutoModelForCausalLM.from_pretrained(str(HERE / "model"), torch_dtype=torch.b' in text
    assert "import torch\n" in text


def test_a_ppo_script_without_a_value_model_passes_none() -> None:
    names = ("config", "policy", "ref_policy", "reward_model", "value_model", "processing_class")
    parameters = frozenset((*names, "train_dataset", "eval_dataset"))
    models = frozenset(("policy", "reward"))
    text = script(plan("ppo", parameters=parameters, models=models, habits=Habits(reference=True)))
    ast.parse(text)
    assert "value_model=None," in text
    assert "policy=model," in text and "config=args," in text
    assert 'padding_side="left"' in text


def test_rewards_are_imported_from_where_the_run_finds_them() -> None:
    line = "from mine import score as reward_0"
    text = script(plan("grpo", rewards=("reward_0", "different"), imports=(line,), roots=("/r",)))
    ast.parse(text)
    assert line in text and "sys.path[:0] = ['/r']" in text
    assert text.index("sys.path[:0]") < text.index(line)
    assert "reward_funcs=[reward_0, different]," in text


def test_completions_that_go_on_behind_the_end_are_counted() -> None:
    class Trainer:
        eos_token_ids = (1,)
        args = processing_class = None

    watched = CompletionWatch()
    watched.rows = [[5, 9, 7, 8], [5, 6, 7, 8], [9, 0, 0, 0]]
    watched.widths = [4]
    result = watched.found(9, [9], 4, Trainer())
    assert result is not None
    assert (result.ended, result.after, result.lengths) == (2, 1, (2, 4, 1))
    assert result.trainer_eos == (1,)


def raised(message: str, error: str = "AttributeError", frame: Any = FRAME) -> Answer[StepAnswer]:
    exception = Raised(error, message, (frame,))
    return Answer(
        Question("step", "step", {}, StepAnswer), "raised", reason=exception.line, raised=exception
    )


def facts(name: str, **answers: Answer[Any]) -> Facts:
    world = Environment(Path("python"), (), {"trl": Version("0.12.2")})
    run = open_run(target(str(FIXTURES / name), offline=True), world, Options(offline=True))
    libraries = answered("libraries", LibrariesAnswer({}))
    return Facts(run, world, ExampleOracle({"libraries": libraries, **answers}))


KERNEL = raised("'NoneType' object has no attribute 'apply'")
WELL = answered("healthy_step", recorded("grpo", "step", StepAnswer))


@pytest.mark.parametrize(
    ("healthy", "alike"),
    [
        (KERNEL, True),
        (raised("other words", frame=FRAME), True),
        (raised("'NoneType' object has no attribute 'apply'", frame=("x", 1, "y", "")), True),
        (raised("'NoneType' object has no attribute 'apply'", error="TypeError"), False),
        (raised("other words", frame=("x", 1, "y", "")), False),
        (WELL, False),
    ],
)
def test_the_installation_is_the_cause_if_a_healthy_model_dies_alike(
    healthy: Answer[Any], alike: bool
) -> None:
    run_facts = facts("sft.yaml", step=KERNEL, healthy_step=healthy)
    assert (installation_at_fault(run_facts) is not None) is alike


def test_a_step_that_goes_well_needs_no_control() -> None:
    assert installation_at_fault(facts("sft.yaml", step=WELL)) is None
    assert facts("sft.yaml", step=KERNEL).get(control) is None


def test_a_model_that_the_run_calls_null_does_not_hinder_the_question() -> None:
    assert facts("broken-ppo.yaml", step=KERNEL)[step].state == "raised"
