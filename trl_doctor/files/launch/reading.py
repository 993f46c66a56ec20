"""Reads a launch file of any form: which lines of it start a training."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from trl_doctor.files import document
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch import forms
from trl_doctor.files.launch.cluster import of_slurm
from trl_doctor.files.launch.containers import of_directives
from trl_doctor.files.launch.dockerfile import in_dockerfile
from trl_doctor.files.launch.in_python import in_python
from trl_doctor.files.launch.in_yaml import in_yaml
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.mlproject import in_mlproject
from trl_doctor.files.launch.pipelines import in_jenkinsfile, in_tox
from trl_doctor.files.launch.recipes import in_justfile, in_makefile
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.sweep import in_sweep

RECIPES = {
    "a Makefile": in_makefile,
    "a justfile": in_justfile,
    "a tox file": in_tox,
    "a Jenkinsfile": in_jenkinsfile,
}
NOTHING: Mapping[str, str] = MappingProxyType({})


def read_launches(
    path: Path, data: bytes, kind: str, variables: Mapping[str, str] = NOTHING
) -> list[Launch]:
    """The lines that start a training; raises `document.Unreadable`.

    `variables` are the variables with which a shell starts; what the file sets wins.
    """
    if kind == forms.MLPROJECT:
        return list(in_mlproject(path, data))
    if kind == forms.SWEEP:
        return list(in_sweep(path, data))
    if kind in forms.YAML:
        return list(in_yaml(path, data, kind))
    try:
        text = decoded(data)
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    if kind == forms.PROGRAM:
        return list(in_python(text))
    if kind == forms.NOTEBOOK:
        from trl_doctor.files.launch.in_notebook import in_notebook

        return in_notebook(path, data, variables)
    cluster = of_slurm(text)
    start = {**variables, **cluster.variables}
    shell = Shell(
        {name: [Word(value, 0, 0)] for name, value in start.items()},
        launcher=path,
        mounts=of_directives(text),
        copied=re.search(forms.DIRECTIVE, text) is not None,
    )
    if recipes := RECIPES.get(kind):
        shell.each_line = kind != "a Jenkinsfile"
        return list(launches(recipes(text, shell), shell, cluster))
    if kind == "a Dockerfile":
        return list(in_dockerfile(text))
    return list(launches(text, shell, cluster))


def again(path: Path, data: bytes, launch: Launch) -> Launch | None:
    """The same line of a launch file as it is in other bytes; raises `document.Unreadable`."""
    kinds = {".py": forms.PROGRAM, ".ipynb": forms.NOTEBOOK}
    kind = kinds.get(path.suffix.lower()) or forms.form(path, data[: forms.HEAD])
    launches = read_launches(path, data, kind)
    this = launch.line, launch.script, launch.command
    return next(
        (
            candidate
            for candidate in launches
            if (candidate.line, candidate.script, candidate.command) == this
        ),
        None,
    )
