"""What each of two processes holds under FSDP and DeepSpeed ZeRO, beside the rule of the forecast.

    PYTHON benchmarks/fit_spread.py fsdp|zero-1|zero-2|zero-3

A small Llama on the CPU (gloo); ZeRO needs DeepSpeed. Prints a line of JSON a process: bytes of
weights, gradients and optimizer states, with DeepSpeed's float32 copy of the weights; for ZeRO-3
also of the weights that TRL gathers while completions are generated.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

SIZES = {
    "vocab_size": 2048, "hidden_size": 128, "intermediate_size": 352, "num_hidden_layers": 7,
    "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": False,
}  # fmt: skip
PROCESSES = 2
MASTERS = ("fp32_partitioned_groups_flat", "single_partition_of_fp32_groups")


def main() -> None:
    kind = sys.argv[1]
    if "RANK" in os.environ:
        measured(kind)
        return
    world = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29541", "DS_ACCELERATOR":
             "cpu", "WORLD_SIZE": str(PROCESSES), "LOCAL_SIZE": str(PROCESSES)}  # fmt: skip
    started = [
        subprocess.Popen(
            [sys.executable, *sys.argv], env={**world, "RANK": rank, "LOCAL_RANK": rank}
        )
        for rank in map(str, range(PROCESSES))
    ]
    sys.exit(max(process.wait() for process in started))


def measured(kind: str) -> None:
    """One process: a step, and what it holds then."""
    import torch
    import transformers

    torch.distributed.init_process_group("gloo")
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model("llama", **SIZES)
    model = transformers.AutoModelForCausalLM.from_config(config).float()
    total = sum(weight.numel() for weight in model.parameters())
    ids = torch.randint(0, 100, (2, 32))
    stage = int(kind[-1]) if kind.startswith("zero") else 0
    held = _zero(model, ids, stage) if stage else _fsdp(model, ids)
    print(json.dumps({"kind": kind, **held, "rule": rule(total, stage)}), flush=True)


def rule(total: int, stage: int) -> dict[str, int]:
    """What the forecast says: FSDP shares float32, DeepSpeed keeps 16 bits and a float32 copy."""
    if not stage:
        each = 4 * total // PROCESSES
        return {"weights": each, "gradients": each, "optimizer": 2 * each}
    gathered = {"in generation": 2 * total} if stage == 3 else {}
    return {
        "weights": 2 * total // (PROCESSES if stage == 3 else 1),
        "gradients": 2 * total // (PROCESSES if stage > 1 else 1),
        "optimizer": 12 * total // PROCESSES,
        **gathered,
    }


def _fsdp(model: Any, ids: Any) -> dict[str, int]:
    import torch
    from torch.distributed.fsdp import fully_shard

    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    model(input_ids=ids, labels=ids).loss.backward()
    optimizer.step()
    weights = list(model.parameters())
    return {
        "weights": size(weights),
        "gradients": size(weight.grad for weight in weights),
        "optimizer": size(states(optimizer)),
    }


def _zero(model: Any, ids: Any, stage: int) -> dict[str, int]:
    import torch

    deepspeed = importlib.import_module("deepspeed")
    # shared memory between processes needs a compiler, and gloo does without
    importlib.import_module("deepspeed.comm.torch").build_shm_op = lambda: None  # type: ignore[attr-defined]
    model = model.to(torch.bfloat16)
    settings = {
        "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": True},
        "zero_allow_untested_optimizer": True, "zero_force_ds_cpu_optimizer": False,
        "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 0},
    }  # fmt: skip
    engine, optimizer, *_ = deepspeed.initialize(
        model=model, optimizer=torch.optim.AdamW(model.parameters()), config=settings,
        dist_init_required=False,
    )  # fmt: skip
    for last in (False, True):
        engine.backward(engine(input_ids=ids, labels=ids).loss)
        if not last:
            engine.step()
    gradients = [gradient for group in optimizer.averaged_gradients.values() for gradient in group]
    masters = [tensor for name in MASTERS for tensor in getattr(optimizer, name, [])]
    return {
        "weights": size(
            getattr(parameter, "ds_tensor", parameter) for parameter in model.parameters()
        ),
        "gradients": size(gradients),
        "optimizer": size([*states(optimizer.optimizer), *masters]),
        **({"in generation": _in_generation(engine)} if stage == 3 else {}),
    }


def _in_generation(engine: Any) -> int:
    """The bytes of whole weights in this process while TRL would generate."""
    plugin = SimpleNamespace(zero_stage=3)
    accelerator = SimpleNamespace(
        unwrap_model=lambda model: model.module, state=SimpleNamespace(deepspeed_plugin=plugin)
    )
    utils = importlib.import_module("trl.models.utils")
    with utils.unwrap_model_for_generation(engine, accelerator) as model:
        return size(model.parameters())


def states(optimizer: Any) -> list[Any]:
    """The optimizer's tensors but its counters."""
    values = [value for state in optimizer.state.values() for value in state.values()]
    return [value for value in values if getattr(value, "ndim", 0) > 0]


def size(tensors: Iterable[Any]) -> int:
    """The bytes of tensors in this process."""
    here = [tensor.to_local() if hasattr(tensor, "to_local") else tensor for tensor in tensors]
    return sum(tensor.numel() * tensor.element_size() for tensor in here)


if __name__ == "__main__":
    main()
