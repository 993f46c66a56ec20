"""Which arguments of a trainer change nothing: each is set alone, in a real run with a small model.

    PY benchmarks/quiet_arguments.py [TRAINER…] [--only ARGUMENT…] [--with NAME=JSON…]

Run it with the interpreter of an environment. Every field of the trainer's config gets a value that
is not its default; the run trains, evaluates and saves. What it logs, the weights, the files and
what it prints are compared with those of the same run without it. Prints the arguments that change
nothing, those that only change what is printed, and those that were not tried. An argument that
changes nothing here is not yet a fault: many count only with others, on GPUs or on the Hub.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import io
import json
import logging
import os
import pickle
import re
import signal
import sys
import tempfile
import typing
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests/proofs/advisories"))

import small  # type: ignore[import-not-found]

TEXTS = [f"w{n} w{n + 1} w{n + 2} w{n + 3}" for n in range(8)]
PAIRS = [
    {"prompt": f"w{n} w3", "chosen": f" w{n + 1} w5 w6", "rejected": f" w{n + 9}"} for n in range(8)
]
JUDGED = [
    {"prompt": f"w{n} w3", "completion": f" w{n + 1} w5", "label": bool(n % 2)} for n in range(8)
]
ROWS = {
    "sft": [{"text": text} for text in TEXTS],
    "dpo": PAIRS,
    "reward": [
        {"chosen": pair["prompt"] + pair["chosen"], "rejected": pair["prompt"] + pair["rejected"]}
        for pair in PAIRS
    ],
    "kto": JUDGED,
    "grpo": [{"prompt": pair["prompt"]} for pair in PAIRS],
    "rloo": [{"prompt": pair["prompt"]} for pair in PAIRS],
}
NAMES = {
    "sft": "SFT",
    "dpo": "DPO",
    "reward": "Reward",
    "kto": "KTO",
    "grpo": "GRPO",
    "rloo": "RLOO",
}
GROUPS = {"num_generations": 2, "max_completion_length": 6}
BASE = {
    "max_steps": 3, "per_device_train_batch_size": 2, "per_device_eval_batch_size": 2,
    "logging_steps": 1, "eval_strategy": "steps", "eval_steps": 2, "save_strategy": "steps",
    "save_steps": 2, "learning_rate": 1e-3, "report_to": [], "use_cpu": True, "bf16": False,
    "seed": 1, "disable_tqdm": True, "gradient_accumulation_steps": 2,
}  # fmt: skip
VALUES: dict[str, Any] = {
    "lr_scheduler_type": "cosine", "optim": "sgd", "eval_strategy": "epoch", "save_strategy": "no",
    "logging_strategy": "epoch", "metric_for_best_model": "loss", "loss_type": "ipo",
    "neftune_noise_alpha": 20.0, "warmup_ratio": 0.5, "warmup_steps": 2, "max_length": 3,
    "optim_args": "momentum=0.9", "lr_scheduler_kwargs": {"num_cycles": 2}, "eval_delay": 2,
    "group_by_length": True, "label_names": ["labels"], "save_total_limit": 1, 
    "max_grad_norm": 0.01,
    "num_train_epochs": 9.0, "max_steps": 2, "seed": 7, "data_seed": 7, 
    "f_divergence_type": "js_divergence",
    "train_sampling_strategy": "sequential", "max_prompt_length": 1, "max_completion_length": 3,
    "temperature": 0.2, "top_p": 0.3, "top_k": 2, "min_p": 0.5, "repetition_penalty": 3.0,
    "num_generations": 4, "scale_rewards": "none", "reward_weights": [0.1], "epsilon": 1e-4,
    "epsilon_high": 1e-4, "beta": 0.7, "num_iterations": 2, "steps_per_generation": 4,
    "pad_token": "<turn>", "eos_token": "<turn>", "dataset_text_field": "other",
    "lr_end": 0.1, "adam_beta1": 0.1, "adam_beta2": 0.1, "adam_epsilon": 0.1, "weight_decay": 0.5,
    "label_smoothing_factor": 0.3, "label_smoothing": 0.2, "rpo_alpha": 1.0, "ld_alpha": 0.5,
    "desirable_weight": 3.0, "undesirable_weight": 3.0, "center_rewards_coefficient": 0.5,
    "discopop_tau": 0.5, "truncation_mode": "keep_end", "logging_steps": 2, "eval_steps": 1,
    "save_steps": 1, "logging_dir": "elsewhere", "run_name": "mine", "output_dir": None,
    "include_for_metrics": ["loss"], "generation_kwargs": {"top_k": 2}, "loss_weights": [0.5],
    "model_init_kwargs": None, "importance_sampling_level": "sequence", "delta": 0.5,
    "top_entropy_quantile": 0.2, "gradient_checkpointing_kwargs": {"use_reentrant": False},
}  # fmt: skip
"""Values of the arguments that have no obvious other one; None: it is not tried."""


ELSEWHERE = re.compile(
    r"hub_|push_|ddp_|fsdp|tpu_|deepspeed|accelerator_|parallelism_|torch_|jit_|use_cpu|use_ipex|"
    r"use_mps|no_cuda|local_rank|vllm_|dataloader_|dataset_num|ray_|trackio|project|log_|logging_|tf32|"
    r"fp16|bf16|half_|skip_mem|mp_param|use_transformers|cast_lm|gradient_check|activation_|report_to|"
    r"run_name|output_dir|resume|overwrite|do_|auto_find|full_det|use_liger|trust_|debug|past_index|"
    r"liger|chat_template|prediction_loss|torchdynamo|include_(inp|tok|num)|optim_target|per_gpu"
)
"""Arguments about machines, the Hub, loggers and names: they are not tried."""

SECONDS = 60
"""A run that takes longer is ended."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trainers", nargs="*", default=list(NAMES))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--with", dest="more", action="append", default=[])
    options = parser.parse_args()
    more = {
        name: json.loads(text) for name, _, text in (item.partition("=") for item in options.more)
    }
    for trainer in options.trainers:
        report(trainer, options.only, more)


def report(trainer: str, only: list[str], more: dict[str, Any]) -> None:
    """Try each argument of a trainer, and print what became of them."""
    config = small.of_trl(f"{NAMES[trainer]}Config")
    base = {**BASE, **(GROUPS if trainer in ("grpo", "rloo") else {}), **more}
    build(trainer, {**base, "output_dir": tempfile.mkdtemp()})  # imports what each run needs
    usual, again = seen(trainer, base), seen(trainer, base)
    unstable = {key for key in usual if usual[key] != again.get(key)}
    if usual.get("error") or unstable:
        print(trainer, "the usual run:", usual.get("error") or f"not repeatable: {unstable}")
    results: dict[str, list[str]] = {}
    for field in dataclasses.fields(config):
        if only and field.name not in only:
            continue
        value = other_value(field, typing.get_type_hints(config)[field.name], base)
        if value is None:
            results.setdefault("not tried", []).append(field.name)
            continue
        now = seen(trainer, {**base, field.name: value})
        changed = [key for key in usual if key not in unstable and now.get(key) != usual[key]]
        kind = "changes" if changed else "changes nothing"
        if changed == ["printed"]:
            kind = "only prints"
        elif now.get("error"):
            kind = "raises"
        results.setdefault(kind, []).append(f"{field.name}={value!r}")
        if only:
            print(field.name, repr(value), changed, now.get("error", ""), now.get("log"))
    for kind in ("changes nothing", "only prints", "raises", "not tried"):
        print(f"{trainer}: {kind}: {', '.join(results.get(kind, []))}")
    print(f"{trainer}: changes: {len(results.get('changes', []))}")


def other_value(field: Any, hint: Any, base: dict[str, Any]) -> Any:
    """A value that is not the one of the usual run; None if none is known."""
    if ELSEWHERE.match(field.name):
        return None
    if field.name in VALUES:
        return VALUES[field.name]
    default = base.get(field.name, field.default)
    kinds = [kind for kind in (typing.get_args(hint) or (hint,)) if kind is not type(None)]
    if isinstance(default, bool) or (default is None and bool in kinds):
        return not default
    if isinstance(default, int):
        return default + 1 if default >= 0 else 1
    if isinstance(default, float):
        return default / 2 if default else 0.3
    return None


def seen(trainer: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a run with these arguments shows, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(observed(trainer, arguments), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(content) if content else {"error": "the process ended"}


def observed(trainer: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Train, evaluate and save; the log, the weights, the files, the prints and the error."""
    folder, shown = tempfile.mkdtemp(), io.StringIO()
    os.chdir(folder)
    answer: dict[str, Any] = {"error": "", "log": [], "weights": "", "files": [], "printed": ""}
    logging.getLogger().addHandler(logging.StreamHandler(shown))
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        try:
            made = build(trainer, {**arguments, "output_dir": f"{folder}/out"})
            made.train()
            made.save_model(f"{folder}/final")
            answer["log"] = [plain(entry) for entry in made.state.log_history]
            answer["weights"] = digest(made.model)
        except BaseException as error:
            answer["error"] = f"{type(error).__name__}: {str(error)[:100]}"
    root = Path(folder)
    answer["files"] = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    answer["printed"] = re.sub(r"[\d.]+(e-?\d+)?|/tmp/\S+|0x\w+", "#", shown.getvalue())
    return answer


def build(trainer: str, arguments: dict[str, Any]) -> Any:
    """The trainer with its small model; dropout is on, so that what it does shows."""
    import torch

    given: dict[str, Any] = {}
    model = small.model()
    if trainer == "reward":
        from transformers import LlamaForSequenceClassification

        model.config.num_labels = 1
        torch.manual_seed(0)
        model = LlamaForSequenceClassification(model.config)
    if trainer in ("grpo", "rloo"):
        given["reward_funcs"] = small.lengths
    if trainer in ("grpo", "rloo", "kto"):  # they load a reference model from its folder
        folder = f"{arguments['output_dir']}-model"
        model.save_pretrained(folder)
        model = type(model).from_pretrained(folder)
    rows = ROWS[trainer]
    from datasets import Dataset

    return small.trainer(
        NAMES[trainer], rows, arguments, model, eval_dataset=Dataset.from_list(rows[:4]), **given
    )


def plain(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of the log without times."""
    return {
        key: round(value, 7) if isinstance(value, float) else value
        for key, value in entry.items()
        if not re.search(r"time|runtime|per_second|num_tokens|flos", key)
    }


def digest(model: Any) -> str:
    total = hashlib.sha256()
    for name, weights in model.named_parameters():
        total.update(name.encode() + weights.detach().float().numpy().tobytes())
    return total.hexdigest()


if __name__ == "__main__":
    main()
