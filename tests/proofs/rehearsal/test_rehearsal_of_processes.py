"""What only several processes show, on the CPU: DDP, FSDP2 and DeepSpeed, well and broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import free_ports, ran
from laid import ROOT
from rehearsed import GRPO, LOADED, SFT
from rehearsing import findings_by_rule, measured, rehearsal

from trl_doctor.checkup.session import Session
from trl_doctor.checkup.verdict import verdict
from trl_doctor.rehearsing.command.command import command
from trl_doctor.rehearsing.rehearse import Rehearsal, rehearse
from trl_doctor.rehearsing.scale import Scale

Interpreter = Callable[[str], Path]
Sessions = Callable[[Path], Session]
TRAINER = "trainer = SFTTrainer(model=model, "
ADAPTER = (
    "from peft import LoraConfig\n"
    'adapter = LoraConfig(r=4, target_modules=["q_proj"], task_type="CAUSAL_LM")\n'
)
LORA = ADAPTER + "trainer = SFTTrainer(model=model, peft_config=adapter, "
CHECKPOINTING = (
    '    gradient_checkpointing=True,\n    gradient_checkpointing_kwargs={"use_reentrant": True},\n'
)
REENTRANT = CHECKPOINTING + "    ddp_find_unused_parameters=True,\n"
ALONE = (
    "import time\nimport torch.distributed as dist\n"
    "if trainer.args.process_index == 0:\n    dist.barrier()\nelse:\n    time.sleep(1000)\n"
)
FSDP2 = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "FSDP",
    "fsdp_config": {
        "fsdp_version": 2,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_state_dict_type": "FULL_STATE_DICT",
    },
    "mixed_precision": "bf16",
    "num_machines": 2,
    "num_processes": 2,
}
ZERO3: dict[str, Any] = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "DEEPSPEED",
    "deepspeed_config": {
        "zero_stage": 3,
        "zero3_init_flag": True,
        "zero3_save_16bit_model": True,
        "offload_optimizer_device": "none",
    },
    "mixed_precision": "no",
    "num_machines": 1,
    "num_processes": 8,
}
ZERO = {
    "bf16": {"enabled": "auto"},
    "gradient_accumulation_steps": "auto",
    "train_micro_batch_size_per_gpu": "auto",
    "train_batch_size": "auto",
}
SAVED = {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True}
SHARDED = "assert 'DTensor' in {type(one).__name__ for one in trainer.model.parameters()}\n"
"""Behind the training: each process has a part of each weight only."""

IN_PARTS = "assert all(hasattr(one, 'ds_status') for one in trainer.model.parameters())\n"
"""The same with DeepSpeed."""


def fsdp(**options: object) -> str:
    config = {"version": 2, "transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"], **options}
    return f"    fsdp='full_shard auto_wrap',\n    fsdp_config={config!r},\n"


def zero(stage: object, **options: object) -> str:
    return f"    deepspeed={ {**ZERO, 'zero_optimization': stage, **options}!r},\n"


def arguments(script: str, more: str) -> str:
    """The script with more arguments for its trainer."""
    return script.replace("    bf16=False,\n", "    bf16=False,\n" + more)


DPO = (
    SFT.replace("SFT", "DPO")
    .replace('{"messages": [talk] * 50}', "PAIRS")
    .replace("PAIRS", '{"prompt": [talk[:1]] * 50, "chosen": [talk[1:]] * 50, '
             '"rejected": [[{"role": "assistant", "content": "No."}]] * 50}')
)  # fmt: skip
HEALTHY = {
    "DDP, an uneven last batch": ("current", SFT.replace("* 50", "* 5")),
    "FSDP2": ("current", arguments(SFT, fsdp()) + SHARDED),
    "ZeRO-2": ("cluster", arguments(GRPO, zero({"stage": 2}))),
    "ZeRO-3": ("cluster", arguments(SFT, zero(SAVED))),
    "ZeRO-3 with a reference model": ("cluster", arguments(DPO, zero(SAVED))),
}
BROKEN = {
    "DDP, an adapter with reentrant checkpointing": (
        "current", arguments(SFT.replace(TRAINER, LORA), REENTRANT),
        "step-raises", "mark a variable ready only once",
    ),
    "DDP, an uneven last batch that nothing evens": (
        "current", arguments(SFT, '    accelerator_config={"even_batches": False},\n'),
        "batch-uneven-at-the-end", "50 rows are 7 batches of 8",
    ),
    "FSDP2, a checkpoint in shards": (
        "current", arguments(SFT, fsdp(state_dict_type="SHARDED_STATE_DICT")),
        "saved-model-does-not-load", "wrote no model that can be loaded again",
    ),
    "FSDP2, checkpointing twice": (
        "current",
        arguments(SFT, fsdp(activation_checkpointing=True) + "    gradient_checkpointing=True,\n"),
        "step-raises", "activation checkpointing",
    ),
    "ZeRO-3, another accumulation than the arguments": (
        "cluster", arguments(SFT, zero(SAVED, gradient_accumulation_steps=4)),
        "deepspeed-differs-from-run", "gradient_accumulation_steps is 4",
    ),
    "ZeRO-3, weights that are not gathered": (
        "cluster", arguments(SFT, zero({"stage": 3})), "saved-model-does-not-load",
        "no file named model.safetensors",
    ),
}  # fmt: skip


def of_two(folder: Path, session: Session, script: str) -> Rehearsal:
    """A rehearsal of a script in two processes, forks of one that has the libraries."""
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    return rehearse(
        command(["train.py"], session.environment.python), Scale(2, turn=0),
        session.probes, session.environment, session.rules, session.options,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "script"), HEALTHY.values(), ids=HEALTHY)
def test_what_works_passes(
    environment: str,
    script: str,
    interpreter: Interpreter,
    sessions: Sessions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = of_two(tmp_path, sessions(interpreter(environment)), script)
    assert (result.failure, result.events.reached) == (None, "end")
    assert verdict(result.checkup, "error").word == "passed"
    assert {event["rank"] for event in result.events.of("built")} == {0, 1}


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "script", "rule", "says"), BROKEN.values(), ids=BROKEN)
def test_what_fails_only_there_is_found(
    environment: str,
    script: str,
    rule: str,
    says: str,
    interpreter: Interpreter,
    sessions: Sessions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = of_two(tmp_path, sessions(interpreter(environment)), script)
    by_rule = {
        outcome.rule.name: outcome.findings
        for outcome in result.checkup.outcomes
        if outcome.findings
    }
    assert verdict(result.checkup, "error").word == "failed"
    assert rule in by_rule, (by_rule, result.failure)
    assert says in by_rule[rule][0].message
    if says == "no file named model.safetensors":  # one cause, reported once
        causes = {entry.outcome.rule.name: entry.cause for entry in result.checkup.reported}
        cause = causes[rule]
        assert cause and cause.outcome.rule.name == "zero3-saves-no-weights"


@pytest.mark.slow
def test_a_hang_is_reported_with_the_line_of_every_rank(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(
        SFT.replace("trainer.save_model", ALONE + "trainer.save_model")
    )
    words = ("--timeout", "120", "--processes", "2", "train.py")
    status, report = rehearsal(tmp_path, interpreter("current"), *words)
    assert status == 1
    message = findings_by_rule(report)["processes-wait-for-each-other"][0]["message"]
    assert "rank 0 at train.py:19" in message and "rank 1 at train.py:21" in message


LATE = (
    "import time\nfrom accelerate import PartialState\n"
    "if PartialState().process_index == 0:\n    time.sleep(3)\n"
)
"""The other process makes the small model."""

BY_NAME = (
    SFT.replace(LOADED, "")
    .replace("trainer = SFT", f"{LATE}trainer = SFT")
    .replace('tokenizer = AutoTokenizer.from_pretrained("models/healthy")\n', "")
    .replace("model=model", "model='models/healthy'")
    .replace(", processing_class=tokenizer", "")
)

FSDP1 = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "FSDP",
    "fsdp_config": {
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_cpu_ram_efficient_loading": True,
        "fsdp_sharding_strategy": "FULL_SHARD",
        "fsdp_state_dict_type": "FULL_STATE_DICT",
        "fsdp_sync_module_states": True,
    },
    "mixed_precision": "no",
    "num_processes": 8,
}
"""What `accelerate config` writes for the first FSDP."""


def with_zero3(**options: object) -> dict[str, Any]:
    """accelerate's file of ZeRO-3 with more settings of DeepSpeed."""
    return {**ZERO3, "deepspeed_config": {**ZERO3["deepspeed_config"], **options}}


LAUNCHED = {
    "FSDP2": ("current", FSDP2, SFT + SHARDED),
    "FSDP1": ("current", FSDP1, SFT),
    "ZeRO-3, a model by its name, accumulation in both": (
        "cluster",
        with_zero3(gradient_accumulation_steps=4),
        arguments(BY_NAME, "    gradient_accumulation_steps=4,\n") + IN_PARTS,
    ),
}


@pytest.mark.slow
@pytest.mark.environment("cluster")
def test_deepspeed_in_one_process_needs_a_launcher(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(arguments(SFT, zero(SAVED)) + IN_PARTS)
    python = interpreter("cluster")
    process = ran(python, "train.py", cwd=tmp_path)
    assert "No module named 'mpi4py'" in process.stderr
    status, report = rehearsal(tmp_path, python, "--", "python", "train.py")
    assert (status, measured(report)["failure"]["kind"]) == (1, "launcher")
    words = ("--", "torchrun", "--nproc_per_node", "1", "train.py")
    status, report = rehearsal(tmp_path, python, *words)
    assert (status, measured(report)["reached"]) == (0, "end"), findings_by_rule(report)


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "config", "script"), LAUNCHED.values(), ids=LAUNCHED)
def test_a_launch_file_runs(
    environment: str, config: dict[str, Any], script: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    """The launcher itself, with its file: of the processes that it asks for there are two here."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(script)
    file = {**config, "main_process_port": free_ports(1)[0]}
    (tmp_path / "launch.json").write_text(json.dumps(file))
    words = ("--", "accelerate", "launch", "--config_file", "launch.json", "train.py")
    status, report = rehearsal(tmp_path, interpreter(environment), *words)
    assert (status, measured(report)["reached"]) == (0, "end"), findings_by_rule(report)
