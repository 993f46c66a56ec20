"""Reports of random runs with a colocated engine, beside what the real trainer does.

    python benchmarks/engine_drawn.py --seed 12 --count 16 --python PY --out DIR

PY is an interpreter with trl and vllm. A candidate is an architecture with random weights and a run
of GRPO or RLOO: generation_kwargs, stops, lengths, an adapter, a dtype, right and slightly wrong.
Both sides are asked in this process, from hosts that have imported the libraries once: some 20 s of
processor time a candidate. Every candidate stays in DIR with what the real trainer did with it,
which is not asked again; `--first 8` goes on with the ninth. Disagreements are marked with `!`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "tests/proofs"
sys.path[:0] = [str(PROOFS), str(PROOFS / "engine"), str(ROOT / "fixtures")]
import hosts  # noqa: E402
import make  # noqa: E402
from engine_run import RUN, candidate, real, target  # noqa: E402

OLD_NAMES = {"n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 512, "n_inner": 64}
MODELS: dict[str, dict[str, Any]] = {
    "LlamaForCausalLM": {"model_type": "llama"},
    "Qwen2ForCausalLM": {"model_type": "qwen2"},
    "Qwen3ForCausalLM": {"model_type": "qwen3", "head_dim": 32},
    "MistralForCausalLM": {"model_type": "mistral", "sliding_window": None, "head_dim": 32},
    "Gemma2ForCausalLM": {"model_type": "gemma2", "head_dim": 32},
    "Gemma3ForCausalLM": {"model_type": "gemma3_text", "head_dim": 32},
    "Phi3ForCausalLM": {"model_type": "phi3"},
    "GraniteForCausalLM": {"model_type": "granite"},
    "GPT2LMHeadModel": {"model_type": "gpt2", **OLD_NAMES},
    "OPTForCausalLM": {"model_type": "opt", "ffn_dim": 64, "word_embed_proj_dim": 64,
                       "activation_function": "relu", "dropout": 0.0},
    "CohereForCausalLM": {"model_type": "cohere"},
    "StableLmForCausalLM": {"model_type": "stablelm"},
    "NemotronForCausalLM": {"model_type": "nemotron"},
    "Olmo2ForCausalLM": {"model_type": "olmo2"},
    "Starcoder2ForCausalLM": {"model_type": "starcoder2"},
    "PhiForCausalLM": {"model_type": "phi"},
    "GPTBigCodeForCausalLM": {"model_type": "gpt_bigcode", **OLD_NAMES},
    "Exaone4ForCausalLM": {"model_type": "exaone4", "head_dim": 32},
    "Glm4ForCausalLM": {"model_type": "glm4", "head_dim": 32},
    "Ernie4_5ForCausalLM": {"model_type": "ernie4_5", "head_dim": 32},
    "Qwen2MoeForCausalLM": {"model_type": "qwen2_moe", "num_experts": 4, "num_experts_per_tok": 2,
                            "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32},
    "SeedOssForCausalLM": {"model_type": "seed_oss", "head_dim": 32},
    "ArceeForCausalLM": {"model_type": "arcee", "head_dim": 32},
}  # fmt: skip
KWARGS: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {}, {"seed": 7}, {"frequency_penalty": 0.8}, {"presence_penalty": 1.0},
    {"stop": ["e", "a"]}, {"stop": "zzz"}, {"stop_token_ids": [298]}, {"stop_token_ids": 298},
    {"min_tokens": 4}, {"min_tokens": 100}, {"max_tokens": 4}, {"max_tokens": 2000},
    {"bad_words": ["the"]}, {"logit_bias": {"42": 5.0}}, {"ignore_eos": True},
    {"temperature": 0.0}, {"temperature": "0.7"}, {"top_k": 5.0}, {"top_p": 2.0}, {"top_k": 3},
    {"detokenize": False}, {"skip_special_tokens": False}, {"logprobs": 1}, {"logprobs": None},
    {"prompt_logprobs": 1}, {"n": 2}, {"best_of": 2}, {"allowed_token_ids": [5, 6, 7, 298]},
    {"repetition_penalty": 1.3}, {"include_stop_str_in_output": True, "stop": ["e"]},
    {"do_sample": True}, {"truncate_prompt_tokens": 4}, {"spaces_between_special_tokens": False},
    {"structured_outputs": None}, {"flat_logprobs": True},
)  # fmt: skip
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "trainer": ("grpo", "grpo", "grpo", "rloo"),
    "max_completion_length": (8, 8, 16, 24),
    "vllm_max_model_length": (None, None, 128, 64, 1024, 48),
    "temperature": (1.0, 1.0, 1.0, 0.7, 0.1, 1.5),
    "top_p": (1.0, 1.0, 1.0, 1.0, 0.9),
    "top_k": (0, 0, 0, 0, 10, -1),
    "min_p": (None, None, None, None, 0.1),
    "repetition_penalty": (1.0, 1.0, 1.0, 1.0, 1.1),
    "mask_truncated_completions": (False, False, True),
    "beta": (0.0, 0.0, 0.04),
    "bf16": (True, True, True, False),
    "num_generations": (4, 2),
    "disable_dropout": (False, False, True),
    "gradient_checkpointing": (False, True),
    "num_iterations": (1, 1, 2),
    "dtype": ("float32", "float32", "bfloat16", "float16"),
}
ADAPTERS: tuple[dict[str, Any], ...] = (
    {}, {}, {"use_peft": True, "lora_target_modules": "all-linear", "lora_r": 4,
             "lora_dropout": 0.0},
    {"use_peft": True, "lora_target_modules": "all-linear", "lora_r": 8, "lora_dropout": 0.2},
)  # fmt: skip
REWARDS = (
    "def mine(completions, **_):\n    return [float(n % 3) for n, _ in enumerate(completions)]"
)
SELECTED = ("vllm-*", "step-*", "kv-*", "generation-*")
RATIO, GRADIENT = 0.1, 1e-8
"""How far the mean importance ratio may be from 1, and the least gradient, of a run that learns."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first candidate")
    parser.add_argument("--count", type=int, default=16)
    parser.add_argument("--python", type=Path, required=True, help="an interpreter with vllm")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the candidates")
    options = parser.parse_args()
    make.HIDDEN = 64
    agreed = 0
    for number in range(options.first, options.first + options.count):
        folder = options.out / f"{options.seed}-{number}"
        agreed += judged(options.python, folder, random.Random(options.seed * 1000 + number))
    hosts.close()
    print(f"{agreed} of {options.count} agree")


def judged(python: Path, folder: Path, draw: random.Random) -> bool:
    """Lay a drawn candidate out, ask both sides, print what they say, and whether they agree."""
    architecture, config, run, rows = drawn(draw)
    kept = folder / "real.json"
    if not kept.exists():
        laid(python, folder, architecture, config, run, rows)
        own = {"vllm_max_model_length": None, **run}
        kept.write_text(json.dumps(real(python, folder, ask="train", rows=rows, run=own)))
    does = json.loads(kept.read_text())
    select = [flag for pattern in SELECTED for flag in ("--select", pattern)]
    ignore = ("--ignore", "vllm-outside-trl-window")
    found_target = target(python, folder, "--level", "tiny", *select, *ignore)["checks"]
    findings = [(finding["severity"], check["rule"], finding["message"], finding["follows_from"])
                for check in found_target for finding in check["findings"]]  # fmt: skip
    worst = {severity for severity, *_ in findings}
    outcome = judged_real(does)
    agree = {"dies": "error" in worst, "loses": bool(worst), "trains": "error" not in worst}[
        outcome
    ]
    print(f"{' ' if agree else '!'} {folder.name} {architecture} {outcome}", differing(run))
    print("    ", does["error"] or {**does["log"], "gradient": does["gradient"]})
    for severity, rule, message, follows in findings:
        print(f"     {severity} {rule}: {message:.160}", f"(follows {follows})" if follows else "")
    sys.stdout.flush()
    return agree


def laid(
    python: Path,
    folder: Path,
    architecture: str,
    config: dict[str, Any],
    run: dict[str, Any],
    rows: list[dict[str, Any]],
) -> None:
    """Write a candidate into its folder, with random weights."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    candidate(folder, run)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "rows.jsonl").write_text(lines)
    (folder / "rewards.py").write_text(REWARDS)
    (folder / "model/model.safetensors").unlink()
    content = make.config(architecture, **{"eos_token_id": 298, "pad_token_id": 299, **config})
    (folder / "model/config.json").write_text(json.dumps(content))
    built = real(python, folder, ask="build", into="model")
    assert built["error"] is None, built


def judged_real(does: dict[str, Any]) -> str:
    """Whether the real run dies, loses what it should learn from, or trains."""
    if does["error"]:
        return "dies"
    ratio = does["log"].get("sampling/importance_sampling_ratio/mean", 1.0)
    return "loses" if abs(ratio - 1) > RATIO or does["gradient"] < GRADIENT else "trains"


def differing(run: dict[str, Any]) -> dict[str, Any]:
    """What the run says beyond the usual."""
    usual = {key: values[0] for key, values in ARGUMENTS.items()} | RUN
    return {key: value for key, value in run.items() if usual.get(key) != value}


def drawn(draw: random.Random) -> tuple[str, dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """An architecture, the rest of its config.json, a run and its rows."""
    architecture = draw.choice(list(MODELS))
    positions = draw.choice((128, 512, 2048, 2048))
    config = {**MODELS[architecture], "max_position_embeddings": positions}
    if "n_positions" in config:
        config["n_positions"] = positions
    chosen = {key: draw.choice(values) for key, values in ARGUMENTS.items()}
    run = {**RUN, **{key: value for key, value in chosen.items() if value is not None}}
    run |= {**draw.choice(ADAPTERS), "dataset_name": "rows.jsonl", "reward_funcs": ["rewards.mine"]}
    if kwargs := draw.choice(KWARGS):
        run["generation_kwargs"] = kwargs
    times = draw.choice((1, 1, 1, 6, 20))
    texts = ("What is seven times six? ", "Count to five. ")
    rows = [{"prompt": [{"role": "user", "content": texts[n % 2] * times}]} for n in range(8)]
    return architecture, config, run, rows


if __name__ == "__main__":
    main()
