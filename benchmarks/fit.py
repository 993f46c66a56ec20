"""The forecast of memory against real runs, full-depth traces and other estimates.

    python benchmarks/fit.py --python PATH_TO_AN_INTERPRETER_WITH_TRL [--only real|depth|published]

`real`: small models of eight architectures, seven trainers, with and without checkpointing and
LoRA, bf16 and fp32: the forecast from traces of few layers against two real steps on the CPU under
the same tracker. `depth`: the forecast against a trace of all layers. `published`: ten published
configurations beside `accelerate estimate-memory`'s figures and 16 bytes a parameter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
GIB = 1024**3
TOKENIZER = ROOT / "fixtures/models/healthy"
PHASES = ("generation", "log-probabilities", "forward", "backward", "optimizer step")
EXACT = ("weights", "reference", "reward", "value", "optimizer")
STEMS = {"grpo": "GRPO", "rloo": "RLOO", "ppo": "PPO", "sft": "SFT", "dpo": "DPO", "kto": "KTO",
         "reward": "Reward"}  # fmt: skip
SMALL = {
    "vocab_size": 2048, "hidden_size": 128, "intermediate_size": 352, "num_hidden_layers": 7,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
    "tie_word_embeddings": False, "eos_token_id": 298, "pad_token_id": 299, "bos_token_id": 297,
    "torch_dtype": "bfloat16",
}  # fmt: skip
SIZES = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
         "num_attention_heads", "num_key_value_heads")  # fmt: skip
TIED = {"tie_word_embeddings": True}
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
QWEN2 = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}
QWEN3 = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 128}
MISTRAL = {"architectures": ["MistralForCausalLM"], "model_type": "mistral"}
GEMMA3 = {"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "head_dim": 256,
          "sliding_window": 512, "sliding_window_pattern": 6}  # fmt: skip
QWEN3_MOE = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "head_dim": 128,
             "num_experts": 128, "num_experts_per_tok": 8,
             "moe_intermediate_size": 768}  # fmt: skip
MODELS: dict[str, dict[str, Any]] = {
    "llama": {"architectures": ["LlamaForCausalLM"], "model_type": "llama"},
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
              "tie_word_embeddings": True},
    "qwen3": {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 32},
    "mistral": {"architectures": ["MistralForCausalLM"], "model_type": "mistral"},
    "phi3": {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3"},
    "gemma3": {"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text",
               "head_dim": 32, "sliding_window": 64, "sliding_window_pattern": 3},
    "qwen3_moe": {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe",
                  "head_dim": 32, "num_experts": 8, "num_experts_per_tok": 2,
                  "moe_intermediate_size": 64, "mlp_only_layers": [0]},
    "gpt_neox": {"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox"},
}  # fmt: skip
PUBLISHED: dict[str, dict[str, Any]] = {
    name: {**family, **dict(zip(SIZES, sizes, strict=True)), **more}
    for name, family, sizes, more in (
        ("Qwen2.5-0.5B", QWEN2, (151936, 896, 4864, 24, 14, 2), TIED),
        ("Llama-3.2-1B", LLAMA, (128256, 2048, 8192, 16, 32, 8), TIED),
        ("Qwen2.5-1.5B", QWEN2, (151936, 1536, 8960, 28, 12, 2), TIED),
        ("gemma-3-1b", GEMMA3, (262144, 1152, 6912, 26, 4, 1), TIED),
        ("Qwen3-4B", QWEN3, (151936, 2560, 9728, 36, 32, 8), TIED),
        ("Mistral-7B", MISTRAL, (32768, 4096, 14336, 32, 32, 8), {}),
        ("Qwen2.5-7B", QWEN2, (152064, 3584, 18944, 28, 28, 4), {}),
        ("Llama-3.1-8B", LLAMA, (128256, 4096, 14336, 32, 32, 8), {}),
        ("Qwen3-30B-A3B", QWEN3_MOE, (151936, 2048, 6144, 48, 32, 4), {}),
        ("Llama-3.1-405B", LLAMA, (128256, 16384, 53248, 126, 128, 8), {}),
    )
}
"""The sizes in the published config.json of each model."""

PPO = "trl.experimental.ppo"
LORA = {"use_peft": True, "lora_r": 8, "lora_target_modules": ["q_proj", "v_proj"]}


def lora(trainer: str) -> dict[str, Any]:
    """An adapter; the reward trainer needs its kind."""
    return {**LORA, "lora_task_type": "SEQ_CLS"} if trainer == "reward" else LORA


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="an interpreter with trl")
    parser.add_argument("--only", choices=["real", "depth", "published"])
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only in (None, "real"):
            compared(options.python, dict(real_cases(folder)), options.match, 5.0)
        if options.only in (None, "depth"):
            compared(options.python, dict(depth_cases(folder)), options.match, 2.0)
        if options.only in (None, "published"):
            published(options.python, folder, options.match)


def published(python: str, folder: Path, match: str) -> None:
    """Ten published models, trained whole in float32 under bf16 with and without checkpointing."""
    cases = {}
    for name, config in PUBLISHED.items():
        for on in (True, False):
            one = request(folder, name, "sft", config=config, max_length=4096,
                          gradient_checkpointing=on, per_device_train_batch_size=2)  # fmt: skip
            label = f"{name}{'' if on else ', no checkpointing'}"
            cases[label] = {**one, "like": "cuda", "whole": "accelerate"}
    print(f"{'SFT, 2 rows of 4,096 tokens, GiB':36} {'weights':>8} {'forecast':>9} {'estimate':>9}"
          f" {'16 B each':>9}  CPU s  MiB")  # fmt: skip
    for found in answers(python, {name: one for name, one in cases.items() if match in name}):
        name, forecast, other = found["name"], found["forecast"], found["real"]
        if "failed" in forecast or "failed" in other:
            said = forecast.get("failed") or other.get("failed")
            print(f"{name:36} failed: {said.strip().splitlines()[-1][:120]}", flush=True)
            continue
        count = forecast["sizes"]["parameters"]
        sizes = (top(forecast), other["step"], 16 * count)
        print(f"{name:36} {count / 1e9:6.2f} B {' '.join(f'{one / GIB:9.1f}' for one in sizes)}"
              f" {forecast['cpu']:6.1f} {forecast['memory'] / 2**20:4.0f}", flush=True)  # fmt: skip


def real_cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases that are run with data: every trainer, every architecture, every variant."""
    for model in MODELS:
        yield f"sft {model}", request(folder, model, "sft")
        yield (
            f"grpo {model} checkpointing",
            request(folder, model, "grpo", gradient_checkpointing=True),
        )
    for trainer in STEMS:
        for on in (False, True):
            kind = "checkpointing" if on else "no checkpointing"
            yield (
                f"{trainer} llama bf16 {kind}",
                request(folder, "llama", trainer, gradient_checkpointing=on),
            )
        yield (
            f"{trainer} llama fp32",
            request(folder, "llama", trainer, gradient_checkpointing=False, bf16=False),
        )
        if trainer != "ppo":
            yield (
                f"{trainer} llama LoRA",
                request(folder, "llama", trainer, gradient_checkpointing=True, **lora(trainer)),
            )
    yield "grpo llama beta", request(folder, "llama", "grpo", beta=0.04)
    yield "sft llama accumulation", request(folder, "llama", "sft", gradient_accumulation_steps=2)
    yield "sft llama bf16 weights", request(folder, "llama", "sft", dtype="bfloat16")


def depth_cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases whose layers are all traced."""
    for model in MODELS:
        for trainer in ("sft", "grpo"):
            deep = request(folder, model, trainer, layers=24)
            yield f"{trainer} {model}, 24 layers", {**deep, "whole": True}


def request(
    folder: Path,
    model: str,
    trainer: str,
    layers: int = 0,
    config: dict[str, Any] | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """A request of the probe `fit`."""
    path = folder / f"{model}-{layers}"
    if not path.exists():
        path.mkdir()
        config = {**SMALL, **(config or MODELS[model])}
        if layers:
            config["num_hidden_layers"] = layers
        (path / "config.json").write_text(json.dumps(config), "utf-8")
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (path / name).write_bytes((TOKENIZER / name).read_bytes())
    stem, own = STEMS[trainer], str(path)
    sizes = {"max_length": 256} if trainer in ("sft", "dpo", "kto", "reward") else {}
    if trainer in ("grpo", "rloo"):
        sizes = {"max_completion_length": 96, "num_generations": 2}
    if trainer == "ppo":
        sizes = {"response_length": 96}
    return {
        "trainer": {"name": trainer, "class": f"{stem}Trainer", "config": f"{stem}Config",
                    "module": PPO if trainer == "ppo" else "trl"},
        "arguments": {"bf16": True, "per_device_train_batch_size": 4, **sizes, **arguments},
        "folders": {"policy": own, "reference": own if trainer in ("dpo", "kto", "ppo") else None,
                    "reward": own if trainer == "ppo" else None, "value": None, "tokenizer": None},
        "written": {}, "data": {"files": [], "conversational": None}, "roots": [],
        "ends": {"turn_end": 298, "eos": 298}, "device": "cpu", "level": "tiny", "seconds": 300,
        "trust_remote_code": False, "like": "cpu",
    }  # fmt: skip


def compared(python: str, cases: dict[str, Any], match: str, aim: float) -> None:
    """Run the cases and print a line for each; then how many are within the aim."""
    cases = {name: one for name, one in cases.items() if match in name}
    worst: dict[str, float] = {}
    print(f"{'case':34} {'weights, states':>15} " + " ".join(f"{one[:14]:>14}" for one in PHASES)
          + f" {'peak':>8}  CPU s")  # fmt: skip
    for found in answers(python, cases):
        name, forecast, real = found["name"], found["forecast"], found["real"]
        if "failed" in forecast or "failed" in real:
            said = forecast.get("failed") or real.get("failed")
            print(f"{name:34} failed: {said.strip().splitlines()[-1][:120]}")
            worst[name] = float("inf")
            continue
        same = all(forecast["held"][part] == real["held"][part] for part in EXACT)
        off = {phase: deviation(phase, forecast, real) for phase in PHASES}
        peak = 100 * (top(forecast) / top(real) - 1)
        worst[name] = abs(peak) if same else float("inf")
        columns = " ".join(f"{'' if one is None else f'{one:+.2f} %':>14}" for one in off.values())
        print(f"{name:34} {'equal' if same else 'DIFFER':>15} {columns} {peak:+7.2f}%"
              f" {forecast['cpu']:6.1f}", flush=True)  # fmt: skip
    good = sum(one <= aim for one in worst.values())
    print(f"{good} of {len(worst)} within {aim:g} % at the peak, their parts equal to the byte\n")


def deviation(phase: str, forecast: dict[str, Any], real: dict[str, Any]) -> float | None:
    """By how many per cent the forecast of a phase's peak is off; None where there is none."""
    sizes = [sum(one["peaks"].get(phase, {}).values()) for one in (forecast, real)]
    return 100 * (sizes[0] / sizes[1] - 1) if all(sizes) else None


def top(one: dict[str, Any]) -> int:
    """The peak over all phases of training; what loading takes is not compared."""
    return max(sum(held.values()) for phase, held in one["peaks"].items() if phase != "load")


def answers(python: str, cases: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the interpreter answers, case by case."""
    world = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "",
             "HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(cases, file)
        file.flush()
        command = [python, str(ROOT / "benchmarks/fit_both_ways.py"), file.name]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=world
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield json.loads(line)


if __name__ == "__main__":
    main()
