"""Scripts with several trainers: each is examined, and a finding names its own."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from commands import ran
from jsonschema import Draft202012Validator
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCHEMA = json.loads(files("trl_doctor.reports").joinpath("json_v1.schema.json").read_text("utf-8"))

IMPORTS = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

"""
SFT = """\
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
talks = [[{"role": "user", "content": f"Count to {n}."},
          {"role": "assistant", "content": f"One, {n}."}] for n in range(50)]
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(output_dir="out/sft", learning_rate=1e-4, bf16=False),
    train_dataset=Dataset.from_dict({"messages": talks}),
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("sft-final")
"""
DPO = """\
policy = AutoModelForCausalLM.from_pretrained("sft-final", dtype="float32")
pairs = Dataset.from_list([{
    "prompt": [{"role": "user", "content": f"What is {n} plus one?"}],
    "chosen": [{"role": "assistant", "content": f"It is {n + 1}."}],
    "rejected": [{"role": "assistant", "content": f"No idea, {n}?"}],
} for n in range(50)])
trainer = DPOTrainer(
    model=policy,
    args=DPOConfig(output_dir="out/dpo", learning_rate=1e-6, bf16=False),
    train_dataset=pairs,
    processing_class=AutoTokenizer.from_pretrained("sft-final"),
)
trainer.train()
trainer.save_model("dpo-final")
"""
REWARD_THEN_PPO = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer
from trl.experimental.ppo import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
scorer = AutoModelForSequenceClassification.from_pretrained("models/healthy", num_labels=1)
scorer.config.pad_token_id = tokenizer.pad_token_id
pairs = Dataset.from_list([{"chosen": f"Six and {n}.", "rejected": f"No, {n}."} for n in range(8)])
first = RewardTrainer(
    model=scorer,
    args=RewardConfig(output_dir="rm", max_steps=2, report_to="none", use_cpu=True, bf16=False),
    train_dataset=pairs,
    processing_class=tokenizer,
)
first.train()
first.save_model("rm/final")
reward, value = (
    AutoModelForSequenceClassification.from_pretrained("rm/final", num_labels=1) for _ in range(2)
)
rows = Dataset.from_list([{"input_ids": tokenizer(f"Count to {n}.").input_ids} for n in range(8)])
second = PPOTrainer(
    args=PPOConfig(output_dir="out", per_device_train_batch_size=4, num_mini_batches=1,
                   num_ppo_epochs=1, total_episodes=8, response_length=8, learning_rate=1e-5,
                   stop_token="eos", num_sample_generations=0, report_to="none", use_cpu=True,
                   bf16=False),
    processing_class=tokenizer,
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    ref_model=None,
    reward_model=reward,
    value_model=value,
    train_dataset=rows,
    eval_dataset=rows,
)
second.train()
second.save_model("out/last")
"""
FROM_SHAPE = """\
from datasets import Dataset
from transformers import (AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification,
                          AutoTokenizer)
from trl import RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
start = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("shape"))
run = {"max_steps": 2, "report_to": "none", "use_cpu": True, "bf16": False, "learning_rate": 1e-3}
first = SFTTrainer(
    model=start,
    args=SFTConfig(output_dir="out/sft", **run),
    train_dataset=Dataset.from_dict({"text": [f"Count to {n}." for n in range(16)]}),
    processing_class=tokenizer,
)
first.train()
first.save_model("out/sft")
scorer = AutoModelForSequenceClassification.from_pretrained("out/sft", num_labels=1)
pairs = Dataset.from_list([{"chosen": f"Six and {n}.", "rejected": f"No, {n}."} for n in range(8)])
second = RewardTrainer(
    model=scorer,
    args=RewardConfig(output_dir="out/rm", **run),
    train_dataset=pairs,
    processing_class=tokenizer,
)
second.train()
second.save_model("out/rm")
"""
NAMES = ["SFTTrainer at train.py:9", "DPOTrainer at train.py:23"]
BF16 = "weights-in-bf16-do-not-move"


def in_bf16(stage: str) -> str:
    """A stage whose weights are too coarse for its rate, at the line that says `here`."""
    here = stage.replace('dtype="float32")', 'dtype="bfloat16")  # here')
    return here.replace("learning_rate=1e-4", "learning_rate=1e-7").replace("1e-6", "1e-7")


LOOP = (
    IMPORTS
    + DPO[DPO.index("pairs =") : DPO.index("trainer =")]
    + """\
for beta in (0.01, 0.1, 0.5):
    tokenizer = AutoTokenizer.from_pretrained("models/healthy")
    model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="bfloat16")  # here
    args = DPOConfig(output_dir=f"out/{beta}", beta=beta, learning_rate=1e-7, bf16=False)
    trainer = DPOTrainer(model=model, args=args, train_dataset=pairs, processing_class=tokenizer)
    trainer.train()
"""
)


def rehearsed(folder: Path, python: Path, script: str) -> tuple[int, dict[str, Any]]:
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    status, report = rehearsal(folder, python, "train.py")
    Draft202012Validator(SCHEMA).validate(report)
    return status, report


def line_of(script: str) -> int:
    return next(n for n, line in enumerate(script.splitlines(), 1) if "# here" in line)


@pytest.mark.slow
def test_a_stage_that_loads_what_the_first_has_saved_is_examined(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    script, python = IMPORTS + SFT + DPO, interpreter("current")
    status, report = rehearsed(tmp_path, python, script)
    (target,) = report["targets"]
    assert (status, target["verdict"], target["lacking"]) == (0, "passed", []), findings_by_rule(
        report
    )
    assert [stage["name"] for stage in target["stages"]] == NAMES
    first, second = target["stages"]
    assert first["models"]["policy"]["name"] == "models/healthy"
    assert second["models"]["policy"]["folder"]
    assert ran(python, "train.py", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_stage_that_loads_what_the_first_has_made_of_a_config_needs_no_weights(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "shape").mkdir()
    config = (ROOT / "fixtures/models/healthy/config.json").read_bytes()
    (tmp_path / "shape/config.json").write_bytes(config)
    python = interpreter("current")
    status, report = rehearsed(tmp_path, python, FROM_SHAPE)
    (target,) = report["targets"]
    assert (status, target["verdict"]) == (0, "passed"), findings_by_rule(report)
    assert all(stage["models"]["policy"]["folder"] for stage in target["stages"])
    assert ran(python, "train.py", cwd=tmp_path).returncode == 0


@pytest.mark.slow
@pytest.mark.environment("ppo-last")
def test_a_reward_model_that_a_stage_trains_from_a_model_without_head_has_one(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    status, report = rehearsed(tmp_path, interpreter("ppo-last"), REWARD_THEN_PPO)
    (target,) = report["targets"]
    assert (status, target["verdict"]) == (0, "passed"), findings_by_rule(report)
    assert len(target["stages"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_a_mistake_is_found_in_its_stage(
    number: int, interpreter: Interpreter, tmp_path: Path
) -> None:
    script = IMPORTS + (in_bf16(SFT) + DPO if number == 1 else SFT + in_bf16(DPO))
    status, report = rehearsed(tmp_path, interpreter("current"), script)
    (finding,) = findings_by_rule(report)[BF16]
    assert (status, finding["line"], finding["stages"]) == (1, line_of(script), [number])
    assert finding["evidence"][0] == f"in stage {number} of 2: {NAMES[number - 1]}"
    (target,) = report["targets"]
    words = [stage["verdict"] for stage in target["stages"]]
    assert words == (["failed", "passed"] if number == 1 else ["passed", "failed"])


@pytest.mark.slow
def test_a_mistake_in_a_loop_is_found_once(interpreter: Interpreter, tmp_path: Path) -> None:
    status, report = rehearsed(tmp_path, interpreter("current"), LOOP)
    rules = findings_by_rule(report)
    (finding,) = rules[BF16]
    assert (status, finding["line"], finding["stages"]) == (1, line_of(LOOP), [1, 2, 3])
    assert finding["evidence"][0].startswith("in all 3 trainers")
    (target,) = report["targets"]
    assert {stage["name"] for stage in target["stages"]} == {"DPOTrainer at train.py:14"}


@pytest.mark.slow
def test_a_stage_that_fails_does_not_touch_the_one_before(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    script = IMPORTS + SFT + DPO.replace('"rejected":', '"refused":')
    status, report = rehearsed(tmp_path, interpreter("current"), script)
    assert status == 1
    rules = findings_by_rule(report)
    (finding,) = rules["data-lacks-columns"]
    assert finding["stages"] == [2]
    assert [stage["verdict"] for stage in report["targets"][0]["stages"]] == ["passed", "failed"]
