"""What kind of launch file a file is: looked at for every run file, before one is read as such."""

from __future__ import annotations

import re
from pathlib import Path

HEAD = 2**16
"""The bytes at the start of a file that decide its kind."""

SHELL = (".sh", ".bash", ".zsh", ".sbatch", ".slurm", ".slm", ".job", ".lsf", ".pbs", ".qsub")
KUBERNETES, SKY = ("apiVersion", "kind"), ("run", "resources", "setup", "envs", "num_nodes")

DIRECTIVE = r"(?m)^[ \t]*#[ \t]*SBATCH[ \t]+([^#\n]*)"
"""What a line asks Slurm for."""


def form(path: Path, data: bytes) -> str:
    """The kind of a launch file in words; "" if it is none."""
    name = path.name.lower()
    if path.suffix.lower() in SHELL or (
        data.startswith(b"#!") and b"sh" in data[:64].split(b"\n")[0]
    ):
        return (
            "a Slurm script"
            if re.search(DIRECTIVE, data[:HEAD].decode(errors="replace"))
            else "a shell script"
        )
    if name in ("makefile", "gnumakefile") or path.suffix == ".mk":
        return "a Makefile"
    if name.startswith("dockerfile") or name.endswith(".dockerfile") or name == "containerfile":
        return "a Dockerfile"
    if name in ("justfile", ".justfile") or path.suffix == ".just":
        return "a justfile"
    if name.endswith(".gitlab-ci.yml"):
        return "a GitLab pipeline"
    if path.suffix.lower() in (".yaml", ".yml"):
        head = set(re.findall(rb"^[\"']?([A-Za-z]\w*)[\"']?:", data[:HEAD], re.MULTILINE))
        keys = {key.decode() for key in head}
        if keys.issuperset(KUBERNETES):
            return "a Kubernetes file"
        if "run" in keys and len(keys & set(SKY)) > 1:
            return "a task of SkyPilot"
        if "services" in keys:
            return "a Docker Compose file"
        if {"on", "jobs"} <= keys:
            return "a GitHub workflow"
    return ""
