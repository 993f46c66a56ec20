"""One real step under every trainer and release: healthy ones are clear, broken ones are not."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import make
import pytest
from commands import ran
from laid import Interpreter
from ruamel.yaml import YAML
from stepping import GRPO, ROOT, Broken, candidate, findings_of, repeated

END, TURN = "<|endoftext|>", "<|im_end|>"
TRAINERS = ("grpo", "rloo", "ppo", "sft", "dpo", "kto", "reward")
WITHOUT = {"ppo-first": {"grpo"}, "current": {"ppo"}}
"""The trainers that a release does not have."""

AT_FAULT = {"ppo-first": {"sft"}, "grpo-silent": {"sft", "kto"}}
"""The trainers that these releases cannot run together with the others installed there."""

OTHERWISE: dict[str, dict[str, dict[str, Any]]] = {
    "grpo-shapes": {"grpo": {"loss_type": "bnpo"}},
    **{env: {"rloo": {"stop_token": "eos"}} for env in ("ppo-first", "grpo-first", "grpo-silent")},
}
"""What a healthy run says otherwise under a release: trl 0.19.1 does not know `dapo`."""
OTHERWISE["grpo-shapes"]["rloo"] = {"stop_token": "eos"}

SFT = {**GRPO, "trainer": "sft"}
PPO = {**GRPO, "trainer": "ppo", "reward_model_path": "reward", "stop_token": "eos"}
NO_PAD = {
    "tokenizer_config.json": {"pad_token": None},
    "config.json": {"pad_token_id": None},
    "generation_config.json": {"pad_token_id": None},
}
END_ID, TURN_ID = (make.tokenizer().token_to_id(name) for name in (END, TURN))
NO_TURN_END = {
    "tokenizer_config.json": {"eos_token": END},
    "config.json": {"eos_token_id": END_ID},
    "generation_config.json": {"eos_token_id": END_ID},
}
GPT2 = {
    "config.json": {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "n_embd": 32,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": 2048,
    }
}


RAISES, LABELS = "step-raises", "step-labels-lack-turn-end"
ENDLESS, LOST = "step-completions-all-truncated", "step-rows-lost"
STILL, NO_GRADIENT = "step-weights-do-not-move", "step-gradients-missing"
SEARCH = tuple(f"<extra_{number}>" for number in range(30))
ASKED = [{"role": "user", "content": "Find <extra_29>."}]
SHORT = {**SFT, "max_length": 64, "completion_only_loss": True}
LONG = (
    {
        "prompt": [{"role": "user", "content": "Count to five, one by one. " * 20}],
        "completion": [{"role": "assistant", "content": "Five."}],
    },
)
CASES = (
    Broken(RAISES, "grpo-first", "ValueError: Asking to pad", files=NO_PAD),
    Broken(RAISES, "ppo-last", "ValueError: Asking to pad", PPO, NO_PAD),
    Broken(
        RAISES,
        "ppo-first",
        "'NoneType' object has no attribute 'modules'",
        {**PPO, "value_model_name_or_path": None},
    ),
    Broken(RAISES, "grpo-shapes", "must match the size of tensor b", files=GPT2),
    Broken(
        RAISES,
        "current",
        "IndexError: index out of range",
        added=SEARCH,
        rows=({"prompt": ASKED},) * 4,
    ),
    Broken(RAISES, "grpo-shapes", "Unknown loss type: dapo", {**GRPO, "loss_type": "dapo"}),
    Broken(ENDLESS, "four", "does not stop at the end of the turn", files=NO_TURN_END),
    Broken(ENDLESS, "ppo-last", "does not stop at the end of the turn", files=NO_TURN_END),
    Broken(ENDLESS, "current", "does not stop at the end of the turn", files=NO_TURN_END),
    Broken(ENDLESS, "ppo-last", "does not stop", {**PPO, "stop_token": None}),
    Broken(ENDLESS, "ppo-first", "does not stop", {**PPO, "stop_token": None}),
    Broken(
        LABELS,
        "grpo-first",
        "it is in the labels of 0 of 2 rows",
        SFT,
        {"tokenizer_config.json": {"pad_token": TURN}},
    ),
    Broken(LOST, "current", "4 of the first 4 rows of SFTTrainer of trl 1.16.0 are dropped", SHORT,
           rows=LONG * 4),
    Broken(LOST, "four", "4 of the first 4 rows of SFTTrainer of trl 0.24.0 have no targets", SHORT,
           rows=LONG * 4),
    Broken(NO_GRADIENT, "current", "none of the 20 trained parameters",
           {**GRPO, "mask_truncated_completions": True}, NO_TURN_END),
    Broken("step-loss-not-finite", "four", "gives no finite loss", SHORT, rows=LONG * 4),
    Broken("step-weights-not-finite", "grpo-shapes", "leaves nan or infinity in 20 of 20 weights",
           {**SFT, "torch_dtype": "float16"}),
    Broken(STILL, "current", "of the weights that have a gradient: they are float32",
           {**GRPO, "learning_rate": 1e-11}),
)  # fmt: skip
TWICE = "step-rows-end-turn-twice"
FAULTS = {
    ("ppo-first", "dpo"): {"step-loss-depends-on-batch", TWICE},
    ("ppo-first", "kto"): {TWICE},
    ("grpo-silent", "dpo"): {TWICE},
    **{
        (env, name): {TWICE}
        for env in ("grpo-first", "grpo-shapes", "four")
        for name in ("dpo", "kto")
    },
}
"""Findings of healthy runs for a fault of the release: DPO of 0.12.2 loses tokens, trl#2332; DPO
and KTO of older releases add a second eos to conversations, trl#4481."""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("ppo-first", "grpo-first", "grpo-silent", "grpo-shapes",
                                         "four", "ppo-last", "current"))  # fmt: skip
def test_a_healthy_run_steps(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    names = [name for name in TRAINERS if name not in WITHOUT.get(environment, ())]
    shutil.copytree(ROOT / "fixtures/models", tmp_path / "models")
    shutil.copytree(ROOT / "fixtures/data", tmp_path / "data")
    for name in names:
        run = YAML(typ="safe").load((ROOT / f"fixtures/{name}.yaml").read_text())
        run = {"trainer": name, **run, **OTHERWISE.get(environment, {}).get(name, {})}
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    answer = findings_of(python, [tmp_path / f"{name}.json" for name in names])
    at_fault = {name for name in names if answer[name].get("environment-cannot-train")}
    assert at_fault == AT_FAULT.get(environment, set())
    for name in set(names) - at_fault:
        assert {*answer[name]} == FAULTS.get((environment, name), set()), name


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_broken_candidate_is_reported(
    case: Broken, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(case.environment)
    run = candidate(tmp_path, case)
    answer = findings_of(python, [run])["run"]
    (finding,) = answer.pop(case.rule)
    assert case.says in finding["message"]
    assert finding["severity"] == "error"
    assert RAISES not in answer


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("grpo-first", "current"))
def test_the_kept_script_repeats_the_step(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = candidate(tmp_path, Broken("", environment, ""))
    assert findings_of(python, [run], "--keep", str(tmp_path / "kept"))["run"] == {}
    data = json.loads((tmp_path / "kept/step/answer.json").read_text())["answer"]
    again = repeated(python, tmp_path / "kept/step/work/repeat.py")
    assert again.returncode == 0, again.stderr[-2000:]
    log = ast.literal_eval(again.stdout.strip().splitlines()[-1])
    assert log[0]["loss"] == data["loss"]
    assert "trl_doctor" not in (tmp_path / "kept/step/work/repeat.py").read_text()


@pytest.mark.environment("grpo-first")
@pytest.mark.slow
def test_the_kept_script_repeats_the_error(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("grpo-first")
    run = candidate(tmp_path, Broken("", "grpo-first", "", files=NO_PAD))
    (finding,) = findings_of(python, [run], "--keep", str(tmp_path / "kept"))["run"][RAISES]
    script = tmp_path / "kept/step/work/repeat.py"
    assert f"again: {python} {script}" in finding["evidence"]
    again = ran(python, script)  # a process of its own is shown where the step is repeated
    assert again.returncode == 1
    assert "Asking to pad but the tokenizer does not have a padding token" in again.stderr
