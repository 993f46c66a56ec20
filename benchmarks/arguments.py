"""What wrong numbers do to a training, and what the doctor reports about them.

    python benchmarks/arguments.py --python PY --out DIR [--trainers sft dpo …] [--tiny] [--all]
                                  [--keys beta top_p …]

Each numeric or boolean argument of a trainer gets values that are easily typed by mistake: 0, 1,
the wrong sign, a factor of 1000, percent for a fraction. Each run is trained for real with a small
model (a fork, about 0.3 s), and what it is meant to raise is measured before and after: the
likelihood of answers, the margin between two, the reward of what is drawn. The doctor then examines
the same run. The table has the runs that end well, do not learn and have no finding of the doctor,
and those that learn and have an error; `--all` prints every run. With `--tiny` the doctor is asked
at that level, too, about those that end well, do not learn and have no finding at `files`. What the
runs did is kept in DIR: the same command asks the doctor alone. PPO needs a PY that has it, and 12
processor seconds a run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REAL = Path(__file__).with_name("arguments_real.py")
DOCTOR = Path(sys.executable).with_name("trl-doctor")
QUIET = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1",
         "TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}  # fmt: skip
AT_ONCE = 25
"""Run files in one command of the doctor."""

HARDLY = 0.1
"""A run that gains less than this share of what the run without the value gains learns nothing."""

SHARED = {
    *("per_device_train_batch_size", "num_train_epochs", "max_steps", "learning_rate"),
    *("warmup_steps", "weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon"),
    *("gradient_accumulation_steps", "max_grad_norm", "label_smoothing_factor"),
    *("gradient_checkpointing", "neftune_noise_alpha", "dataloader_drop_last"),
    *("remove_unused_columns", "auto_find_batch_size", "use_cpu"),
}
"""The arguments of transformers that learning depends on."""

ELSEWHERE = ("vllm", "log_", "num_proc", "trust_remote", "ds3", "to_print", "use_transformers",
             "_eval", "eval_", "offloading", "max_tool", "liger", "world_size",
             "sample_generations")  # fmt: skip
"""Parts of the names of arguments that do not change what a run on one CPU learns."""

COSTLY = ("batch", "num_generations", "max_completion_length", "response_length", "epochs",
          "max_steps", "episodes", "accumulation", "iterations", "per_generation")  # fmt: skip
"""Parts of the names of arguments that are not made a thousand times larger."""

BASE: dict[str, Any] = {
    "output_dir": "out", "use_cpu": True, "bf16": False, "report_to": "none",
    "save_strategy": "no", "logging_steps": 1, "learning_rate": 3e-3, "num_train_epochs": 3,
    "per_device_train_batch_size": 4,
}  # fmt: skip
GROUPS = {"learning_rate": 3e-2, "num_train_epochs": 6, "per_device_train_batch_size": 16,
          "num_generations": 8, "max_completion_length": 6}  # fmt: skip
OWN = {
    "grpo": GROUPS,
    "rloo": GROUPS,
    "ppo": {"learning_rate": 1e-2, "per_device_train_batch_size": 16, "total_episodes": 384,
            "response_length": 6, "num_sample_generations": 0, "kl_coef": 0.0},
}  # fmt: skip
BESIDE: dict[str, dict[str, Any]] = {
    name: needs
    for names, needs in (
        (("epsilon", "epsilon_high", "delta"), {"num_iterations": 2}),
        (("sapo_temperature_neg", "sapo_temperature_pos"), {"loss_type": "sapo"}),
        (("vespo_k_pos", "vespo_lambda_pos", "vespo_k_neg", "vespo_lambda_neg"),
         {"loss_type": "vespo"}),
        (("ref_model_mixup_alpha", "ref_model_sync_steps"), {"sync_ref_model": True, "beta": 0.1}),
        (("f_alpha_divergence_coef",), {"f_divergence_type": "alpha_divergence"}),
        (("label_smoothing",), {"loss_type": "robust"}),
        (("loss_weights",), {"loss_type": ["sigmoid", "sft"]}),
        (("entropy_coef_min", "entropy_coef_max", "entropy_coef_delta", "entropy_target"),
         {"use_adaptive_entropy": True}),
    )
    for name in names
}  # fmt: skip
"""What an argument needs beside it to have an effect."""

MORE: dict[str, tuple[Any, ...]] = {
    "label_smoothing": (0.5, 0.9), "temperature": (0.01, 0.1), "top_p": (0.01, 0.95),
    "top_k": (20,), "center_rewards_coefficient": (0.01, 10),
    "min_p": (0.99,), "reward_weights": ([0, 0], [-1, -1], [0, 1], [1000, 1000]),
    "warmup_steps": (0.1, 0.9, 10), "learning_rate": (1e-12, 2e5, 5e5),
    "weight_decay": (0.01, 10, 100),
    "adam_beta1": (0.99, 0.999), "adam_beta2": (0.95,), "adam_epsilon": (1e-6, 1e-4, 0.1),
    "max_grad_norm": (0.1, 1e-4), "beta": (0.5, 5, 10), "loss_weights": ([0, 0], [-1, -1], [1, 0]),
    "reward_clip_range": ([0, 0], [10, -10], [-10, 10]), "scale_rewards": ("none", "batch"),
    "lr_scheduler_type": ("constant", "cosine", "inverse_sqrt", "polynomial"),
    "max_length": (2, 4, 8), "max_completion_length": (2,), "repetition_penalty": (0.5, 1.2, 2.0),
    "top_entropy_quantile": (0.2,), "epsilon": (1e-8,), "delta": (1.5, 4.0),
    "desirable_weight": (1.33,), "entropy_coef": (10,), "neftune_noise_alpha": (5, 100),
    "kl_coef": (0.5,), "gamma": (0.99,), "lam": (0.9,),
}  # fmt: skip
"""More values of single arguments, wrong ones and right ones."""

LISTED = {"grpo": ("reward_weights", "scale_rewards"), "dpo": ("loss_weights",),
          "rloo": ("reward_weights", "reward_clip_range")}  # fmt: skip
"""Arguments that are no number, and get what `MORE` has for them."""


@dataclass
class Case:
    """One run: `gain` is what it learnt, as a share of the run without the value."""

    trainer: str
    key: str
    value: Any
    arguments: dict[str, Any]
    real: dict[str, Any] = field(default_factory=dict)
    gain: float | None = None
    files: list[str] = field(default_factory=list)
    tiny: list[str] | None = None

    @property
    def name(self) -> str:
        """The name of its run file."""
        text = json.dumps(self.value).translate({ord(sign): None for sign in '[]" '})
        return f"{self.trainer}-{self.key}-{text}.yaml".replace(",", "_")

    @property
    def became(self) -> str:
        """What the run does, in words."""
        if self.real["error"]:
            return "raises"
        if not self.real["finite"] or self.real["not_finite"]:
            return "not finite"
        if not self.real["moved"]:
            return "no weight moves"
        assert self.gain is not None
        if self.gain < -HARDLY:
            return "learns the opposite"
        return "learns nothing" if self.gain < HARDLY else "learns"

    @property
    def reported(self) -> list[str]:
        return self.files or self.tiny or []


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", required=True, type=os.path.abspath, help="one with trl")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--trainers", nargs="+",
                        default=["sft", "dpo", "kto", "reward", "grpo", "rloo"])  # fmt: skip
    parser.add_argument("--keys", nargs="+", help="only these arguments")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    lay(options.out)
    cases = []
    for trainer in options.trainers:
        own_cases = trained(trainer, options.out, options.python, options.keys)
        ask_doctor(own_cases, options.out, options.python, "files")
        if options.tiny:
            quiet = [case for case in own_cases[1:] if silent(case) and not case.files]
            ask_doctor([own_cases[0], *quiet], options.out, options.python, "tiny")
        cases += own_cases
    for case in cases:
        if options.all or disagrees(case):
            print(line(case))
    summary(cases)


def lay(folder: Path) -> None:
    """Models, rows and rewards."""
    for name, source in (("model", "healthy"), ("reward-model", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / source, folder / name, dirs_exist_ok=True)
    (folder / "rewards.py").write_text(REWARDS, "utf-8")
    numbers = range(24)
    pairs = [{"prompt": f"q{n}", "chosen": f" good {n}", "rejected": f" wrong {n}"}
             for n in numbers]  # fmt: skip
    marked = [{"prompt": f"q{n}", "completion": f" {('wrong', 'good')[n % 2]} {n}",
               "label": bool(n % 2)} for n in numbers]  # fmt: skip
    answers = [{"prompt": f"q{n}", "completion": f" good {n}"} for n in numbers]
    prompts = [{"prompt": f"q{n}"} for n in numbers]
    tables = {"sft": answers, "dpo": pairs, "kto": marked, "reward": pairs,
              "grpo": prompts[:8], "rloo": prompts[:8], "ppo": prompts}  # fmt: skip
    for trainer, rows in tables.items():
        (folder / trainer).mkdir(exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / trainer / "train.jsonl").write_text(text, "utf-8")


REWARDS = '''"""Rewards of these runs."""


def even(completion_ids, **more):
    """The share of tokens with an even id."""
    return [sum(token % 2 == 0 for token in ids) / max(len(ids), 1) for ids in completion_ids]


def third(completion_ids, **more):
    """The share of tokens with an id that three divides."""
    return [sum(token % 3 == 0 for token in ids) / max(len(ids), 1) for ids in completion_ids]
'''


def trained(trainer: str, folder: Path, python: str, keys: list[str] | None) -> list[Case]:
    """All runs of a trainer, each trained for real."""
    base = {**BASE, **OWN.get(trainer, {})}
    named = ran(python, folder, trainer, "fields")[0]
    cases = [Case(trainer, "", None, base)]
    for key, values in values_of(trainer, named).items():
        if keys and key not in keys:
            continue
        beside = BESIDE.get(key, {})
        if beside:
            cases.append(Case(trainer, f"beside-{key}", None, {**base, **beside}))
        cases += [Case(trainer, key, value, {**base, **beside, key: value}) for value in values]
    file = folder / "real.json"
    kept = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    new = [case for case in cases if case.name not in kept]
    answers = ran(python, folder, trainer, given=[case.arguments for case in new])
    kept |= {case.name: answer for case, answer in zip(new, answers, strict=True)}
    file.write_text(json.dumps(kept), "utf-8")
    for case in cases:
        case.real = kept[case.name]
    whole = gained(cases[0])
    for case in cases:
        case.gain = None if case.real["error"] else gained(case) / whole
    return cases


def gained(case: Case) -> float:
    return float(case.real["end"] - case.real["start"])


def values_of(trainer: str, named: list[Any]) -> dict[str, list[Any]]:
    """The values of each argument that are tried."""
    shared = {name for name, _, _ in named} & SHARED
    own = named[[name for name, _, _ in named].index("local_rank") + 1 :]
    tried = [entry for entry in named if entry[0] in shared or entry in own]
    kept = [entry for entry in tried if not any(part in entry[0] for part in ELSEWHERE)]
    by_name = {name: mistyped(name, kinds, default) for name, kinds, default in kept}
    by_name["lr_scheduler_type"] = list(MORE["lr_scheduler_type"])
    for name in LISTED.get(trainer, ()):
        by_name[name] = list(MORE[name])
    return by_name


def mistyped(name: str, kinds: list[str], default: Any) -> list[Any]:
    """What is easily typed in place of a value."""
    if kinds[0] == "bool":
        return [not default]
    usual = BASE.get(name, default) or 0
    values: list[Any] = [0, 1, -(usual or 1), *MORE.get(name, ())]
    if not any(part in name for part in COSTLY):
        values.append(1000 * (usual or 1))
    if "float" in kinds:
        values += [usual / 1000] if usual else []
        values += [100 * usual] if 0 < usual < 1 else []
    different = [value for number, value in enumerate(values)
                 if value != default and value not in values[:number]]  # fmt: skip
    return different if "int" in kinds else [float(value) for value in different]


def ran(python: str, folder: Path, *words: str, given: Any = None) -> list[Any]:
    """What `arguments_real.py` answers."""
    command, world = [python, str(REAL), *words], {**os.environ, **QUIET}
    process = subprocess.run(
        command, input=json.dumps(given), cwd=folder, env=world, capture_output=True, text=True
    )
    if process.returncode:
        raise SystemExit(process.stderr[-2000:])
    return [json.loads(text) for text in process.stdout.splitlines() if text.startswith(("{", "["))]


def ask_doctor(cases: list[Case], folder: Path, python: str, level: str) -> None:
    """Note the rules by which the doctor reports each run, without those that report all."""
    for case in cases:
        text = f"# trl-doctor: trainer={case.trainer}\n{json.dumps(file_of(case), indent=1)}\n"
        (folder / case.name).write_text(text, "utf-8")
    for start in range(0, len(cases), AT_ONCE):
        part = cases[start : start + AT_ONCE]
        words = [str(DOCTOR), "check", *(case.name for case in part), "--python", python,
                 "--level", level, "--offline", "--format", "json"]  # fmt: skip
        process = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        try:
            targets = json.loads(process.stdout)["targets"]
        except ValueError:
            raise SystemExit(f"{' '.join(words)}: {process.stderr[-2000:]}") from None
        for case, target in zip(part, targets, strict=True):
            setattr(case, level, findings(target))
    without = getattr(cases[0], level)
    for case in reversed(cases):
        setattr(case, level, [text for text in getattr(case, level) if text not in without])


def file_of(case: Case) -> dict[str, Any]:
    """The run file of a case."""
    run = {"model_name_or_path": "model", "dataset_name": case.trainer, "num_processes": 1}
    run |= case.arguments
    if case.trainer == "reward":
        run["model_name_or_path"] = "reward-model"
    if case.trainer in ("grpo", "rloo"):
        run["reward_funcs"] = ["rewards.even", "rewards.third"]
    if case.trainer == "ppo":
        run["sft_model_path"], run["reward_model_path"] = "model", "reward-model"
    return run


def findings(target: dict[str, Any]) -> list[str]:
    """The errors and warnings of a report, as `error: rule`."""
    return sorted({
        f"{finding['severity']}: {check['rule']}"
        for check in target["checks"]
        for finding in check["findings"]
        if finding["severity"] in ("error", "warning") and finding["follows_from"] is None
    })  # fmt: skip


def silent(case: Case) -> bool:
    """Whether the run ends without an error and has not learnt what it should."""
    return case.became not in ("learns", "raises")


def disagrees(case: Case) -> bool:
    """Whether the run learns nothing and has no finding, or learns and has an error."""
    if silent(case):
        return not case.reported
    return any(text.startswith("error") for text in case.reported)


def line(case: Case) -> str:
    gain = "" if case.gain is None else f"{case.gain:.2f}"
    did = f"{case.became} {gain}".strip()
    if case.real["error"]:
        did += f" ({case.real['error'][:70]})"
    tiny = "" if case.tiny is None else f" · tiny: {', '.join(case.tiny) or 'none'}"
    named = f"{case.key} = {case.value}" if case.key else "as it is"
    return f"{case.trainer} · {named} · {did} · files: {', '.join(case.files) or 'none'}{tiny}"


def summary(cases: list[Case]) -> None:
    """The number of runs by what they do, and of these with a finding."""
    print()
    kinds = Counter(case.became for case in cases)
    for kind, count in kinds.most_common():
        of = [case for case in cases if case.became == kind]
        errors = sum(any(text.startswith("error") for text in case.reported) for case in of)
        found_count = sum(bool(case.reported) for case in of)
        print(f"{kind:20} {count:4} runs: {errors} with an error, {found_count} with a finding")


if __name__ == "__main__":
    main()
