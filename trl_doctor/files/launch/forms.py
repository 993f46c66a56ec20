"""What kind of launch file a file is: looked at for every run file, before one is read as such."""

from __future__ import annotations

import re
from pathlib import Path

from trl_doctor.files.launch.directives import directives

HEAD = 2**16
"""The bytes at the start of a file that decide its kind."""

SHELL = (".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".slm", ".job", ".lsf", ".pbs", ".qsub")
KUBERNETES, SKY = ("apiVersion", "kind"), ("run", "resources", "setup", "envs", "num_nodes")

SLURM, SHELL_SCRIPT = "a Slurm script", "a shell script"
OF_SHELL = (SLURM, SHELL_SCRIPT)
MAKEFILE, JUSTFILE, TOX, JENKINSFILE = "a Makefile", "a justfile", "a tox file", "a Jenkinsfile"
DOCKERFILE, NOTEBOOK, MLPROJECT = "a Dockerfile", "a notebook", "an MLproject file"
KUBERNETES_FILE, COMPOSE = "a Kubernetes file", "a Docker Compose file"
SKYPILOT, AZURE_ML, SWEEP = "a task of SkyPilot", "a job of Azure ML", "a sweep of Weights & Biases"
GITHUB, GITLAB, AZURE = "a GitHub workflow", "a GitLab pipeline", "an Azure pipeline"
YAML = (
    KUBERNETES_FILE,
    SKYPILOT,
    COMPOSE,
    GITHUB,
    GITLAB,
    "a CircleCI pipeline",
    AZURE,
    AZURE_ML,
    "a task of dstack",
    "a YAML file with commands",
)
"""Kinds of YAML files that hold commands."""

KEY = rb"(?m)^[\"']?([A-Za-z]\w*)[\"']?:"
OF_OTHERS = {"model_name_or_path", "model", "base_model", "output_dir", "parameters", "repos"}
"""Keys of run files, of sweeps, and of pre-commit."""

COMMAND_KEY = rb"(?m)^[ \t-]*(?:command|args|entrypoint|run|script|cmd)s?[ \t]*:"
STARTS = (
    rb"\b(?:accelerate[\s\"',-]+launch|torchrun|trl[\s\"',-]+[a-z]+[\s\"',-]+--"
    rb"|(?:python3?|deepspeed)[\s\"',-]+[\w./-]+\.py)\b"
)
COMMENT = rb"(?m)^[ \t]*#.*$"

PROGRAM = "a Python program that starts commands"
"""A script that makes no trainer itself."""


def form(path: Path, data: bytes) -> str:
    """The kind of a launch file in words; "" if it is none."""
    name = path.name.lower()
    if path.suffix.lower() in SHELL or (
        data.startswith(b"#!") and b"sh" in data[:64].split(b"\n")[0]
    ):
        of_slurm = directives(data[:HEAD].decode(errors="replace"))
        return SLURM if of_slurm else SHELL_SCRIPT
    if name in ("makefile", "gnumakefile") or path.suffix == ".mk":
        return MAKEFILE
    if name.startswith("dockerfile") or name.endswith(".dockerfile") or name == "containerfile":
        return DOCKERFILE
    if name in ("justfile", ".justfile") or path.suffix == ".just":
        return JUSTFILE
    if name == "mlproject":
        return MLPROJECT
    if name == "tox.ini":
        return TOX
    if name.startswith("jenkinsfile") or name.endswith(".jenkinsfile"):
        return JENKINSFILE
    return _of_yaml(path, data[:HEAD]) if path.suffix.lower() in (".yaml", ".yml") else ""


def _of_yaml(path: Path, data: bytes) -> str:
    if path.name.lower().endswith(".gitlab-ci.yml"):
        return GITLAB
    keys = {key.decode() for key in re.findall(KEY, data)}
    if keys.issuperset(KUBERNETES):
        return KUBERNETES_FILE
    if "run" in keys and len(keys & set(SKY)) > 1:
        return SKYPILOT
    if {"method", "parameters"} <= keys and keys & {"program", "command"}:
        return SWEEP
    if "services" in keys:
        return COMPOSE
    if {"on", "jobs"} <= keys:
        return GITHUB
    if path.parent.name == ".circleci" or {"jobs", "workflows"} <= keys:
        return "a CircleCI pipeline"
    if keys & {"steps", "stages", "jobs"} and keys & {"pool", "trigger"}:
        return AZURE
    if "command" in keys and keys & {"compute", "environment"}:
        return AZURE_ML
    if {"type", "commands"} <= keys:
        return "a task of dstack"
    return "a YAML file with commands" if _has_commands(data, keys) else ""


def _has_commands(data: bytes, keys: set[str]) -> bool:
    """Whether one of its commands may start a training, and it is no run file or sweep."""
    if not keys or keys & OF_OTHERS:
        return False
    return bool(re.search(COMMAND_KEY, data)) and bool(
        re.search(STARTS, re.sub(COMMENT, b"", data))
    )
