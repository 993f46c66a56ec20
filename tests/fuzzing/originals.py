"""The healthy files that are mutated, and the targets among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FIXTURES = HERE.parents[1] / "fixtures"
Files = dict[str, bytes]

MODEL = "models/healthy/"
RUN: dict[str, Any] = {
    "trainer": "grpo", "model_name_or_path": "models/healthy", "use_vllm": True, "bf16": False,
    "tokenizer_name_or_path": "models/added-tokens", "generation_kwargs": {"stop": ["</search>"]},
    "reward_model_path": "models/reward", "num_processes": 2, "per_device_train_batch_size": 8,
    "num_generations": 8, "max_completion_length": 256, "learning_rate": 1e-6, "seed": 1,
    "gradient_accumulation_steps": 1, "dataset_name": "data/prompts", "loss_type": "grpo",
    "chat_template_kwargs": {"enable_thinking": False}, "output_dir": "out",
    "eos_token": "<|im_end|>",
}  # fmt: skip
PPO = {**RUN, "trainer": "ppo", "value_model_name_or_path": None, "response_length": 53}
INDEX = {
    "metadata": {"total_size": 4},
    "weight_map": {"model.norm.weight": "model-00001-of-00001.safetensors"},
}
SPECIAL = {"eos_token": {"content": "<|im_end|>"}, "pad_token": "<|fim_pad|>", "bos_token": None}
ADAPTER = {
    "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 8, "lora_alpha": 16, "bias": "none",
    "base_model_name_or_path": "models/healthy", "target_modules": ["q_proj", "v_proj"],
    "modules_to_save": ["lm_head"], "inference_mode": True,
}  # fmt: skip
DEEPSPEED = {
    "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}},
    "bf16": {"enabled": "auto"}, "train_batch_size": "auto", "gradient_clipping": 1.0,
    "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto",
}  # fmt: skip
SCRIPT = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

def reward(completions, **kwargs):
    return [float(len(one)) for one in completions]

arguments = GRPOConfig(
    output_dir="out", per_device_train_batch_size=8, num_generations=8, use_vllm=False,
    learning_rate=1e-6, max_completion_length=256,
)
trainer = GRPOTrainer(
    model="models/healthy", reward_funcs=[reward], args=arguments,
    train_dataset=load_dataset("data/prompts", split="train"),
)
trainer.train()
"""
NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Train"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
         "source": SCRIPT.splitlines(keepends=True)[:6]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1,
         "source": "%pip install trl\n" + "".join(SCRIPT.splitlines(keepends=True)[6:])},
    ],
}  # fmt: skip
TEXTS = {
    "train.py": SCRIPT,
    "lora.yaml": "# a run with an adapter\ntrainer: grpo\nmodel_name_or_path: models/healthy\n"
    "dataset_name: data/prompts\nuse_peft: true\nlora_r: 8  # small\nlora_target_modules:\n"
    "  - q_proj\n  - v_proj\naccelerate_config: accelerate.yaml\ndeepspeed: zero3.json\n"
    "per_device_train_batch_size: 8\nnum_generations: 8\nenv:\n  HF_TOKEN: hf_x\n",
    "accelerate.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
    "num_processes: 4\nnum_machines: 1\nmixed_precision: bf16\ndeepspeed_config:\n"
    "  zero_stage: 3\n  deepspeed_config_file: zero3.json\n",
    "fsdp.yaml": "trainer: grpo\nmodel_name_or_path: models/healthy\nnum_generations: 8\n"
    "dataset_name: data/prompts\naccelerate_config: accelerate_fsdp.yaml\n",
    "accelerate_fsdp.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"
    "num_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n"
    "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n",
    "resume.yaml": "trainer: sft\nmodel_name_or_path: models/healthy\noutput_dir: out\n"
    "dataset_name: data/messages\nresume_from_checkpoint: out/checkpoint-2\nmax_steps: 4\n",
    "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2  # two\n#SBATCH --gres=gpu:a100:4\n"
    "export MODEL=models/healthy\nARGS=(--num_generations 8\n  --beta 0.1)\n"
    "accelerate launch --config_file accelerate.yaml \\\n  train.py ${ARGS[@]} > log 2>&1\n"
    'srun bash -c "trl grpo --config grpo.yaml --model_name_or_path $MODEL"\n',
    "Makefile": "MODEL ?= models/healthy\ntrain: data\n\t@echo go\n"
    "\ttrl sft --config sft.yaml \\\n\t\t--model_name_or_path $(MODEL)\n",
    "Dockerfile": 'FROM x\nENV MODEL=models/healthy\nENTRYPOINT ["accelerate", "launch"]\n'
    'CMD ["--num_processes", "2", "train.py", "--model", "m"]\n',
    "kubernetes.yaml": "apiVersion: batch/v1\nkind: Job\nspec:\n  containers:\n"
    "    - env: [{name: MODEL, value: models/healthy}]\n      command: [/bin/bash, -c]\n"
    "      args:\n        - |\n          set -e\n          trl dpo --config dpo.yaml\n"
    "      resources: {limits: {nvidia.com/gpu: 8}}\n",
    "sky.yaml": "resources: {accelerators: A100:8}\nenvs: {CONFIG: rloo.yaml}\nrun: |\n"
    "  cd .\n  trl rloo --config ${CONFIG}\n",
    "compose.yaml": "services:\n  train:\n    image: x\n    environment: [A=1]\n"
    "    command: [trl, reward, --config, reward.yaml]\n",
    "settings/trl-doctor.toml": 'fail-on = "warning"\nselect = ["*"]\ntrainer = "grpo"\n'
    'processes = 2\nignore = [{rule = "gpu-*", reason = "no card here"}]\n'
    'severity = {"batch-*" = "note"}\ntargets = {"*.yaml" = {processes = 4}}\n',
    "settings/inner/pyproject.toml": '[project]\nname = "x"\n[tool.trl-doctor]\n'
    'with = ["trl==1.16.0"]\noffline = true\nignore = ["file-*"]\n',
    "settings/run.yaml": "model_name_or_path: ../models/healthy\nnum_generations: 8\n",
    "settings/inner/run.yaml": "trainer: dpo\nmodel_name_or_path: ../../models/healthy\n",
    "odd\nname\x1b.yaml": "trainer: grpo\nmodel_name_or_path: models/healthy\nbeta: no\n",
    "\udcff.json": '{"trainer": "ppo", "sft_model_path": "models/healthy", "bf16": "x"}',
    "data/list/train.json": '[{"prompt": "2+2?", "completion": "4"}, {"prompt": "", "id": 1}]\n',
    "data/csv/train.csv": 'prompt,completion\n"2 + 2, or?",4\nSay hi.,"h ""i"""\n',
    "data/tsv/train.tsv": "prompt\tcompletion\n2+2?\t4\n",
    "models/bpe/merges.txt": "#version: 0.2\na b\nab c\n",
    "models/bpe/vocab.json": '{"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}',
    "models/bpe/config.json": '{"model_type": "gpt2", "vocab_size": 4, "eos_token_id": 3}',
    "models/bpe/tokenizer_config.json": '{"tokenizer_class": "GPT2Tokenizer"}',
    "models/pieces/config.json": '{"model_type": "llama", "vocab_size": 4, "eos_token_id": 2}',
    "models/pieces/tokenizer_config.json": '{"tokenizer_class": "LlamaTokenizer"}',
    "models/words/vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n",
    "models/words/config.json": '{"model_type": "bert", "vocab_size": 5}',
    "models/words/tokenizer_config.json": '{"tokenizer_class": "BertTokenizer"}',
}
ROWS = {
    "jsonl": "data/prompts", "list": "data/list", "csv": "data/csv", "tsv": "data/tsv",
    "parquet": "data/parquet", "arrow": "data/arrow",
}  # fmt: skip
COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB = "hub/models--acme--tiny/"
WORLDS: tuple[tuple[str, ...], ...] = (
    (),
    ("trl==0.15.2", "transformers==4.48.3", "torch==2.6.0"),
    ("trl==1.16.0", "transformers==5.23.0", "vllm==0.32.0"),
)


def seeds() -> Files:
    """The healthy files that are mutated, by path."""
    files = {
        str(path.relative_to(FIXTURES)): path.read_bytes()
        for path in sorted(FIXTURES.rglob("*"))
        if path.is_file() and path.suffix in (".json", ".yaml", ".jsonl", ".safetensors")
    }
    written = {
        "run.json": RUN, "ppo.json": PPO, "accelerate.json": {"num_processes": 4},
        MODEL + "special_tokens_map.json": SPECIAL, MODEL + "added_tokens.json": {"<x>": 300},
        MODEL + "model.safetensors.index.json": INDEX, "zero3.json": DEEPSPEED,
        "models/adapter/adapter_config.json": ADAPTER, "train.ipynb": NOTEBOOK,
        "out/checkpoint-2/trainer_state.json": {"global_step": 2, "max_steps": 4, "epoch": 1.0},
        "data/arrow/state.json": {"_data_files": [{"filename": "train.arrow"}]},
    }  # fmt: skip
    for name, folder in ROWS.items():
        run = {"trainer": "sft", "model_name_or_path": "models/healthy", "dataset_name": folder}
        written[f"rows_{name}.yaml"] = run
    files.update({name: json.dumps(value, indent=2).encode() for name, value in written.items()})
    files.update({name: text.encode("utf-8", "surrogateescape") for name, text in TEXTS.items()})
    for name in ("parquet", "arrow"):
        files[f"data/{name}/train.{name}"] = (HERE / "rows" / f"train.{name}").read_bytes()
    pieces = ("<unk>", 2), ("<s>", 3), ("</s>", 3), ("a", 1)
    files["models/pieces/tokenizer.model"] = b"".join(
        _field(1, _field(1, text.encode()) + bytes((3 << 3, kind))) for text, kind in pieces
    )
    for name in ("config.json", "model.safetensors"):
        files[f"out/checkpoint-2/{name}"] = files[MODEL + name]
    for name in ("config.json", "tokenizer_config.json", "tokenizer.json", "model.safetensors"):
        files[f"{HUB}snapshots/{COMMIT}/{name}"] = files[MODEL + name]
    files[f"{HUB}refs/main"] = COMMIT.encode()
    template = json.loads(files[MODEL + "tokenizer_config.json"])["chat_template"]
    files[MODEL + "chat_template.jinja"] = template.encode()
    return files


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer message, as sentencepiece writes them."""
    return bytes((number << 3 | 2, len(content))) + content


HUB_MODEL = "acme/tiny"
TARGETS = (
    *["models/healthy"] * 6, "run.json", "run.json", "ppo.json", "broken-vllm.yaml", "ppo.yaml",
    "grpo.yaml", "sft.yaml", "dpo.yaml", "kto.yaml", "reward.yaml", "rloo.yaml", "resume.yaml",
    "lora.yaml", "fsdp.yaml", "train.py", "train.py", "train.ipynb", "models/adapter",
    "models/bpe", "models/pieces", "models/words", *(f"rows_{name}.yaml" for name in ROWS),
    "job.sbatch", "Makefile", "Dockerfile", "kubernetes.yaml", "sky.yaml", "compose.yaml",
    "settings/run.yaml", "settings/inner/run.yaml", "odd\nname\x1b.yaml", "\udcff.json", HUB_MODEL,
)  # fmt: skip

BESIDE = {
    "run.json": ("accelerate.json", "data/prompts/train.jsonl"),
    "grpo.yaml": ("data/prompts/train.jsonl",),
    "rloo.yaml": ("data/prompts/train.jsonl",),
    "sft.yaml": ("data/messages/train.jsonl",),
    "dpo.yaml": ("data/preferences/train.jsonl",),
    "kto.yaml": ("data/labelled/train.jsonl",),
    "reward.yaml": ("data/preferences/train.jsonl",),
    "lora.yaml": ("accelerate.yaml", "zero3.json", "data/prompts/train.jsonl"),
    "fsdp.yaml": ("accelerate_fsdp.yaml",),
    "resume.yaml": ("out/checkpoint-2/trainer_state.json", "out/checkpoint-2/config.json"),
    "job.sbatch": ("train.py", "grpo.yaml", "accelerate.yaml"),
    "Makefile": ("sft.yaml",),
    "Dockerfile": ("train.py",),
    "kubernetes.yaml": ("dpo.yaml",),
    "sky.yaml": ("rloo.yaml",),
    "compose.yaml": ("reward.yaml",),
    "settings/run.yaml": ("settings/trl-doctor.toml",) * 2,
    "settings/inner/run.yaml": ("settings/inner/pyproject.toml",) * 2,
    "rows_jsonl.yaml": ("data/prompts/train.jsonl",) * 2,
    "rows_list.yaml": ("data/list/train.json",) * 2,
    "rows_csv.yaml": ("data/csv/train.csv",) * 2,
    "rows_tsv.yaml": ("data/tsv/train.tsv",) * 2,
    "rows_parquet.yaml": ("data/parquet/train.parquet",) * 2,
    "rows_arrow.yaml": ("data/arrow/train.arrow", "data/arrow/state.json"),
}
"""Files that a target names, mutated as often as itself."""

INSIDE = {
    "models/healthy": MODEL,
    "models/adapter": "models/adapter/",
    "models/bpe": "models/bpe/",
    "models/pieces": "models/pieces/",
    "models/words": "models/words/",
    HUB_MODEL: HUB,
}
"""Targets that are folders: what is in them is mutated, and nothing else."""
