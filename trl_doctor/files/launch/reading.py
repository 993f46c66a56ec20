"""Reads a launch file of any form: which lines of it start a training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch import forms
from trl_doctor.files.launch.arrays import TASK, of_tasks, tasks_of
from trl_doctor.files.launch.cluster import Cluster, merged, of_slurm
from trl_doctor.files.launch.containers import of_directives
from trl_doctor.files.launch.directives import directives
from trl_doctor.files.launch.dockerfile import in_dockerfile
from trl_doctor.files.launch.in_python import in_python
from trl_doctor.files.launch.in_yaml import in_yaml
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches, within
from trl_doctor.files.launch.mlproject import in_mlproject
from trl_doctor.files.launch.pipelines import in_jenkinsfile, in_tox
from trl_doctor.files.launch.placing import found
from trl_doctor.files.launch.recipes import in_justfile, in_makefile
from trl_doctor.files.launch.shell.functions import arguments
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.sweep import in_sweep

RECIPES = {
    forms.MAKEFILE: in_makefile,
    forms.JUSTFILE: in_justfile,
    forms.TOX: in_tox,
    forms.JENKINSFILE: in_jenkinsfile,
}
NOTHING: Mapping[str, str] = MappingProxyType({})

DEEPEST = 3
"""Launch files that start each other, one after the other, and are read."""


class Given(Struct, frozen=True):
    """What a launch file is started with: variables, arguments, a folder of its container.

    `cluster` is what the file that starts it asks for, if it is no job of its own.
    """

    variables: Mapping[str, str] = NOTHING
    arguments: tuple[Word, ...] | None = None
    folder: str = ""
    mounts: tuple[tuple[str, str], ...] = ()
    cluster: Cluster = Cluster()


def read_launches(
    path: Path, data: bytes, kind: str, variables: Mapping[str, str] = NOTHING
) -> list[Launch]:
    """The lines that start a training; raises `document.Unreadable`.

    `variables` are the variables with which a shell starts; what the file sets wins. Lines of the
    launch files that it starts are among them.
    """
    return list(_followed(path, _read(path, data, kind, Given(variables)), (path,)))


def _followed(path: Path, launches: Iterable[Launch], above: tuple[Path, ...]) -> Iterator[Launch]:
    """The trainings with those of the launch files that lines start, as far as these are here."""
    for launch in launches:
        if not launch.starts:
            yield launch
            continue
        file = found(launch.starts, launch, path)
        if file is None or file in above or len(above) > DEEPEST or launch.cell:
            continue
        given = Given(launch.variables, launch.words, launch.folder, launch.mounts, launch.cluster)
        try:
            data = document.read_bytes(file)
            kind = forms.form(file, data[: forms.HEAD])
            inner = list(_read(file, data, kind, given)) if kind in forms.OF_SHELL else []
        except document.Unreadable:
            continue
        for each in _followed(file, inner, (*above, file)):
            yield replace(
                within(each, launch.before),
                file=each.file or str(file),
                reached=launch.line,
                turn=(*launch.turn, *each.turn),
                withheld=each.withheld if each.file else _withheld(launch),
            )


def _withheld(launch: Launch) -> Mapping[str, Word]:
    """What the line does not give the file that it starts; `sbatch --export` gives some."""
    return {name: word for name, word in launch.kept.items() if name not in launch.variables}


def _read(path: Path, data: bytes, kind: str, given: Given) -> Iterable[Launch]:
    if kind == forms.MLPROJECT:
        return in_mlproject(path, data)
    if kind == forms.SWEEP:
        return in_sweep(path, data)
    if kind in forms.YAML:
        return in_yaml(path, data, kind)
    try:
        text = decoded(data)
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    if kind == forms.PROGRAM:
        return in_python(text)
    if kind == forms.NOTEBOOK:
        from trl_doctor.files.launch.in_notebook import in_notebook

        return in_notebook(path, data, given.variables)
    return _of_shell(path, text, kind, given)


def _of_shell(path: Path, text: str, kind: str, given: Given) -> Iterable[Launch]:
    """The trainings of a text that a shell reads, or that becomes one."""
    cluster = merged(given.cluster, of_slurm(text))
    start = {**given.variables, **cluster.variables}
    shell = Shell(
        {name: [Word(value, 0, 0)] for name, value in start.items()},
        launcher=path,
        folder=given.folder,
        mounts=(*given.mounts, *of_directives(text)),
        copied=bool(directives(text)),
        first_number=1 if path.suffix == ".zsh" or "zsh" in text.partition("\n")[0] else 0,
    )
    if given.arguments is not None:
        shell.arguments = arguments([Word(path.name, 0, 0), *given.arguments])
    if recipes := RECIPES.get(kind):
        shell.each_line = kind != forms.JENKINSFILE
        return launches(recipes(text, shell), shell, cluster)
    if kind == forms.DOCKERFILE:
        return in_dockerfile(text)
    tasks = tasks_of(text) if TASK not in given.variables else None
    if tasks is None:
        return launches(text, shell, cluster)

    def of_task(number: int) -> Iterable[Launch]:
        own = shell.inner()
        own.arguments, own.turn, own.files = shell.arguments, {TASK: str(number)}, {}
        counts = {
            TASK: number,
            f"{TASK[:-2]}COUNT": len(tasks.numbers),
            f"{TASK[:-2]}MIN": min(tasks.numbers),
            f"{TASK[:-2]}MAX": max(tasks.numbers),
        }
        own.variables |= {name: [Word(str(value), 0, 0)] for name, value in counts.items()}
        return list(launches(text, own, cluster))

    return of_tasks(tasks, of_task)


def again(path: Path, data: bytes, launch: Launch) -> Launch | None:
    """The same line of a launch file as it is in other bytes; raises `document.Unreadable`."""
    kinds = {".py": forms.PROGRAM, ".ipynb": forms.NOTEBOOK}
    kind = kinds.get(path.suffix.lower()) or forms.form(path, data[: forms.HEAD])
    launches = read_launches(path, data, kind)
    return next((candidate for candidate in launches if candidate.key == launch.key), None)
