"""The program that a file was written for, recognised by its name and its keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from trl_doctor.files.launch.forms import SWEEP

TELLING = {
    "Axolotl": {"base_model", "sequence_len", "sample_packing", "micro_batch_size"},
    "LLaMA-Factory": {"finetuning_type", "cutoff_len", "lora_target"},
    "ms-swift": {"rlhf_type", "tuner_type", "train_type", "split_dataset_ratio"},
    "verl": {"actor_rollout_ref"},
    "OpenRLHF": {"pretrain", "reward_pretrain", "actor_num_nodes"},
    "Weights & Biases": {"_wandb"},
}
"""Keys that only another program's run files have."""

MAPPED = frozenset({"Axolotl", "LLaMA-Factory"})
"""Programs whose run files are read, if their keys mean the same as TRL's."""

SUFFIXES = {
    ".sh": "a shell script",
    ".bash": "a shell script",
    ".sbatch": "a Slurm script",
    ".slurm": "a Slurm script",
    ".toml": "a TOML file",
    ".ini": "an INI file",
    ".lock": "a lock file",
    ".md": "a text",
    ".rst": "a text",
    ".html": "a page",
    ".pdf": "a PDF file",
    ".ds_store": "a file of the system",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"), "a picture"),
    **dict.fromkeys((".zip", ".gz", ".tgz", ".tar", ".xz", ".7z", ".whl"), "an archive"),
    ".csv": "a table",
    ".parquet": "a table",
    ".jsonl": "a file of rows",
    ".jinja": "a template",
    ".j2": "a template",
}
"""Files that are recognised by their name, and are no run files."""

INSTEAD = {
    "a shell script": "name the run file that it launches",
    "a Slurm script": "name the run file that it launches",
    "a GitHub workflow": "name the run files that it launches",
    "an accelerate file": "name the job or the run file that names it: it is read with them",
    "a DeepSpeed file": "name the script, job or run file that names it: it is read with them",
    "a template": "name the file that is made from it",
    "a configuration of Hydra": "write the composed one to a file (`--cfg job`) and name that",
}
"""What to name in place of it."""


PARTS = {
    "an accelerate file": {"compute_environment", "distributed_type"},
    "a DeepSpeed file": {
        "zero_optimization",
        "train_micro_batch_size_per_gpu",
        "zero_allow_untested_optimizer",
    },
}
"""Files that are read with the run that names them, and keys that only these have."""


def of_suffix(path: Path) -> str:
    """The kind of a file by its name; "" if it may be a run file."""
    return SUFFIXES.get(path.suffix.lower(), "")


VARIABLE = re.compile(r"\$\{\w+(?::?-[^}]*)?\}")
"""A variable as a shell and `envsubst` write it."""


def is_template(text: str) -> bool:
    """Whether another program replaces parts of a text: Jinja, Hydra, envsubst."""
    return bool(re.search(r"\{\{.*?\}\}|\{%.*?%\}|\$\{\w", text))


def of_keys(path: Path, value: object) -> str:
    """The kind of a file by its keys; "" if it may be a run file of TRL."""
    if not isinstance(value, dict):
        return _of_list(value)
    keys = set(map(str, value))
    if "jobs" in keys and keys & {"on", "True", "true"}:
        return "a GitHub workflow"
    for kind, telling in PARTS.items():
        if telling & keys and "model_name_or_path" not in keys:
            return kind
    if any(_names_component(value_) for value_ in value.values()):
        return "a run file of torchtune"
    if isinstance(value.get("defaults"), list):
        return "a configuration of Hydra"
    if is_template(VARIABLE.sub("", str(value.get("model_name_or_path")))):
        return "a template"
    return _of_tools(path, keys) or _of_programs(keys)


def _of_list(value: object) -> str:
    rows = isinstance(value, list) and value and isinstance(value[0], dict)
    if rows and {"hosts", "tasks"} & set(value[0]):  # type: ignore[index]
        return "an Ansible playbook"
    return "a file of rows" if rows else ""


def _of_tools(path: Path, keys: set[str]) -> str:
    """Files of well-known tools that are found next to run files."""
    if {"apiVersion", "kind"} <= keys:
        return "a Kubernetes manifest"
    if "services" in keys and path.stem.startswith(("compose", "docker-compose")):
        return "a compose file"
    if path.name == ".pre-commit-config.yaml" or {"repos"} == keys:
        return "a configuration of pre-commit"
    if path.name == ".gitlab-ci.yml":
        return "a GitLab pipeline"
    if {"resources", "run"} <= keys:
        return "a task of SkyPilot"
    if {"method", "parameters"} <= keys:
        return SWEEP
    if {"dependencies", "channels"} <= keys:
        return "an environment of conda"
    return "a package.json" if path.name in ("package.json", "package-lock.json") else ""


def _of_programs(keys: set[str]) -> str:
    for program, telling in TELLING.items():
        program_keys = sorted(keys & telling)
        if program_keys and program not in MAPPED and "model_name_or_path" not in keys:
            return f"a run file of {program} (it has {program_keys[0]})"
    return ""


def _names_component(value: object) -> bool:
    return isinstance(value, Mapping) and "_component_" in value
