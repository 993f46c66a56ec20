"""Settings of FSDP in accelerate's file: how accelerate reads them, and what the doctor reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import answered, reports
from laid import Interpreter

pytestmark = pytest.mark.environment("cluster")
PLUGIN = """import json, os, sys
from accelerate.commands import launch
from accelerate.utils import FullyShardedDataParallelPlugin
from accelerate.utils.fsdp_utils import fsdp2_prepare_auto_wrap_policy
from accelerate.utils.launch import prepare_multi_gpu_env
from transformers import LlamaConfig, LlamaForCausalLM

sizes = dict(hidden_size=8, intermediate_size=8, num_attention_heads=2, num_key_value_heads=2)
model = LlamaForCausalLM(LlamaConfig(num_hidden_layers=2, vocab_size=9, **sizes))

def made(name):
    options = ["--config_file", name, "train.py"]
    parsed = launch.launch_command_parser().parse_args(options)
    arguments, _, _ = launch._validate_launch_command(parsed)
    os.environ.update(prepare_multi_gpu_env(arguments))
    plugin = FullyShardedDataParallelPlugin()
    wraps = fsdp2_prepare_auto_wrap_policy(plugin, model)
    units = [name for name, module in model.named_modules() if wraps and wraps(module)]
    strategy = str(plugin.sharding_strategy).rpartition(".")[2]
    return [units, strategy, plugin.reshard_after_forward, plugin.forward_prefetch]

before, outcomes = dict(os.environ), []
for name in json.load(sys.stdin):
    os.environ.clear()
    os.environ.update(before)
    try:
        outcomes.append(made(name))
    except Exception as error:
        outcomes.append(str(error))
print(json.dumps(outcomes))
"""
BY_LAYERS: dict[str, Any] = {"fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}
LAYERS = "fsdp_transformer_layer_cls_to_wrap"
KEPT: dict[str, Any] = {"fsdp_cpu_ram_efficient_loading": False, "fsdp_sync_module_states": False}
OFFLOAD: dict[str, Any] = {"fsdp_activation_checkpointing_offload": True}
CHECKPOINTING: dict[str, Any] = {"fsdp_activation_checkpointing": True}
TWO: dict[str, Any] = {"fsdp_version": 2}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "offload alone": ({**TWO, **OFFLOAD}, "requires `activation_checkpointing=True`"),
    "offload in version 1": ({**OFFLOAD, **CHECKPOINTING}, "requires `fsdp_version=2`"),
    "local": ({**TWO, "fsdp_state_dict_type": "LOCAL_STATE_DICT"}, "does not support LOCAL"),
    "a strategy": ({**TWO, "fsdp_reshard_after_forward": "FULL_SHARD"}, "truth value full_shard"),
    "a wrong word": ({"offload_params": "tru"}, "invalid truth value tru"),
    "a policy": ({"auto_wrap_policy": "LAYERS"}, "Invalid auto wrap policy"),
    "a list": ({**TWO, **BY_LAYERS, LAYERS: ["LlamaDecoderLayer"]}, "class ['LlamaDecoderLayer']"),
    "unsynchronised": ({"fsdp_cpu_ram_efficient_loading": True}, "fsdp_sync_module_states` to"),
    "spaces": ({**TWO, **BY_LAYERS, LAYERS: "LlamaDecoderLayer, LlamaMLP"}, "class  LlamaMLP"),
}
"""Settings, and accelerate's error."""

IGNORED: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "layers without a policy": ({**TWO, LAYERS: "Qwen2DecoderLayer"}, [[], "None", True, None]),
    "a size without a policy": ({**TWO, "min_num_params": 9}, [[], "None", True, None]),
    "layers and no policy": (
        {**TWO, LAYERS: "LlamaMLP", "fsdp_auto_wrap_policy": "NO_WRAP"}, [[], "None", True, None],
    ),
    "a strategy in version 2": (
        {**TWO, "fsdp_sharding_strategy": "SHARD_GRAD_OP"}, [[], "None", True, None],
    ),
    "prefetch in version 2": ({**TWO, "fsdp_forward_prefetch": True}, [[], "None", True, None]),
    "resharding in version 1": (
        {"reshard_after_forward": False}, [[], "FULL_SHARD", None, False],
    ),
}  # fmt: skip
"""Settings, and what accelerate makes of them: the same as without them."""

UNITS = ["model.layers.0", "model.layers.1"]
TAKEN: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "layers": (
        {**TWO, **BY_LAYERS, LAYERS: "LlamaDecoderLayer"}, [UNITS, "None", True, None],
    ),
    "short names": (
        {"version": 2, "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
         "transformer_layer_cls_to_wrap": "LlamaDecoderLayer"}, [UNITS, "None", True, None],
    ),
    "the policy alone": ({**TWO, **BY_LAYERS}, [UNITS, "None", True, None]),
    "offload": ({**TWO, **OFFLOAD, **CHECKPOINTING}, [[], "None", True, None]),
    "resharding": ({**TWO, "fsdp_reshard_after_forward": False}, [[], "None", False, None]),
    "prefetch": ({"fsdp_forward_prefetch": True}, [[], "FULL_SHARD", None, True]),
    "a strategy": (
        {"fsdp_sharding_strategy": "SHARD_GRAD_OP"}, [[], "SHARD_GRAD_OP", None, False],
    ),
}  # fmt: skip
"""Settings that have their effect, and what accelerate makes of them."""


def test_settings_of_fsdp_are_reported_as_accelerate_reads_them(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("cluster")
    cases = {
        **{name: (settings, "fsdp-settings-refused") for name, (settings, _) in REFUSED.items()},
        **{name: (settings, "fsdp-setting-ignored") for name, (settings, _) in IGNORED.items()},
        **{f"{name}, taken": (settings, "") for name, (settings, _) in TAKEN.items()},
    }
    wanted = [outcome for part in (REFUSED, IGNORED, TAKEN) for _, outcome in part.values()]
    files = []
    for number, (settings, _) in enumerate(cases.values()):
        part = {**KEPT, **settings}
        file: dict[str, Any] = {"distributed_type": "FSDP", "num_processes": 1, "num_machines": 1}
        (tmp_path / f"{number}.yaml").write_text(json.dumps({**file, "fsdp_config": part}))
        run = {"model_name_or_path": "m", "accelerate_config": f"{number}.yaml"}
        whole = {"trainer": "sft", "gradient_checkpointing": False, **run}
        (tmp_path / f"{number}.json").write_text(json.dumps(whole))
        files.append(f"{number}.yaml")
    outcomes = answered(python, ["-c", PLUGIN], request=files, cwd=tmp_path, noisy=True)
    runs = [tmp_path / f"{number}.json" for number in range(len(cases))]
    results = reports(runs, python, "--level", "files", statuses=(1, 3))
    for (name, (_, rule)), want, outcome, report in zip(
        cases.items(), wanted, outcomes, results, strict=True
    ):
        assert want in outcome if isinstance(want, str) else want == outcome, (name, outcome)
        names = [check["rule"] for check in report["checks"] if check["findings"]]
        rules = [name for name in names if name.startswith("fsdp-")]
        assert rules == ([rule] if rule else []), name
