"""The user's own command: which program, which script, how many processes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.launch.at_line import at_line
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.regular import text_of
from trl_doctor.rehearsing.command.launch_file import launch_of, local_command
from trl_doctor.rehearsing.command.local_command import LocalCommand, NotStarted, without_cluster
from trl_doctor.rehearsing.command.missing_script import needs_scripts
from trl_doctor.rehearsing.command.notebook import Notebook, notebook
from trl_doctor.rehearsing.command.notebook_start import started
from trl_doctor.rehearsing.command.start_folder import folder_of, from_copy, script_from_here

VARIABLE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
PYTHON = re.compile(r"python(3(\.\d+)?)?")
MODULES = {
    "accelerate": "accelerate.commands.accelerate_cli",
    "accelerate-launch": "accelerate.commands.launch",
    "torchrun": "torch.distributed.run",
    "trl": "trl.cli.main",
}
"""The modules that the programs of an interpreter run, if it has no program of that name."""


LAUNCHERS = ("torch.distributed.run", "accelerate.commands.launch")
"""Modules that start processes, and are watched where they are imported."""


class NoCommand(Exception):
    """There is nothing to rehearse; the message names what to write instead."""


class Command(Struct, frozen=True):
    """`arguments` begin with the program's path; `script` is the user's, "" if there is none.

    `variables` stood before the program, as a shell takes them. A `bare` script or notebook is run
    by the interpreter itself, without a launcher. `processes` is what a launch file says, and
    `processes_from` where. `launch` is the line that starts the training, and `launched_by` its
    file, or its first word where the user writes it. `launches` are the lines of a file with
    several; none of them is `launch`. `files` are those that the launch file contains, by name.
    `start` is the folder that the launch file goes to.
    """

    given: str
    arguments: tuple[str, ...]
    script: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    notebook: Notebook | None = None
    bare: bool = False
    processes: int | None = None
    processes_from: str = ""
    launch: Launch | None = None
    launched_by: Path | None = None
    launches: tuple[Launch, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    start: Path | None = None

    @property
    def text(self) -> str:
        """The script's source; "" if there is none."""
        if self.notebook:
            return self.notebook.script
        if self.script in self.files:
            return self.files[self.script]
        return text_of(Path(self.script), "replace") if self.script else ""

    def runs_script(self, python: Path) -> bool:
        """Whether it is `python script.py …`: no launcher, no option of the interpreter."""
        return self.arguments[0] == str(python) and "".join(self.arguments[1:2]).endswith(".py")

    @property
    def folder(self) -> Path:
        """The user's folder that it runs in."""
        return self.notebook.path.parent if self.notebook else self.start or Path.cwd()


def command(command_words: Sequence[str], python: Path, processes: int | None = None) -> Command:
    """What a command line means, with the `processes` that the user asks for; or `NoCommand`."""
    shown, words, bare = " ".join(command_words), list(command_words), False
    variables: dict[str, str] = {}
    while words and (set_ := VARIABLE.fullmatch(words[0])) and not Path(words[0]).exists():
        variables[set_[1]] = set_[2]
        words.pop(0)
    if not words:
        raise NoCommand("name a script, or a command after --")
    file, _ = at_line(words[0])
    if words[1:2] == ["--"] and (file.suffix in (".py", ".ipynb") or file.is_file()):
        del words[1]  # as `trl-doctor check` takes it: the words behind it are the script's
    line = launch_of(words)
    try:
        here = local_command(words, variables, processes)
        needs_scripts(here, line, file)
    except (NotStarted, OSError) as error:
        raise NoCommand(str(error)) from None
    if here and here.after:
        return _in_turn(shown, here, variables, python, file)
    if here:
        words, line = list(here.words), here.launch
        variables = {**variables, **here.variables}
    start = folder_of(here.launch, file) if here and file.is_file() else Path.cwd()
    script = script_from_here(next((word for word in words if word.endswith(".py")), ""), start)
    words[1:] = (from_copy(word, start) for word in words[1:])
    if words[0].endswith(".ipynb"):
        return _of_notebook(shown, words, variables, python, processes)
    if words[0].endswith(".py"):
        if not (start / words[0]).is_file():
            raise NoCommand(f"{words[0]}: there is no such script")
        words[0] = from_copy(words[0], start)
        bare, words = True, [str(python), *words]
    else:
        words[:1] = _program(words[0], python)
        words = _imported(words)
    result = Command(
        shown, tuple(words), script, variables, None, bare, launch=line, launched_by=file
    )
    return _counted(result, here, start) if here else result


def _counted(started: Command, here: LocalCommand, start: Path) -> Command:
    """The command with what its launch file says."""
    return replace(
        started,
        start=start,
        processes=here.processes,
        processes_from=here.processes_from,
        files=here.files,
    )


def _in_turn(
    shown: str, first: LocalCommand, variables: Mapping[str, str], python: Path, file: Path
) -> Command:
    """The trainings of a launch file, one after the other, until one fails."""
    turns = (first, *first.after)
    folders = [folder_of(turn.launch, file) for turn in turns]
    start = folders[0] if len(set(folders)) == 1 else Path.cwd()
    lines = ["set -e"]
    for turn, folder in zip(turns, folders, strict=True):
        words = [str(python), *turn.words] if turn.words[0].endswith(".py") else list(turn.words)
        words[1:] = (from_copy(word, folder) for word in words[1:])
        words[:1] = _program(words[0], python)
        given = (f"{name}={value}" for name, value in turn.variables.items())
        line = shlex.join(["env", *given, *_imported(words)])
        there = shlex.quote(from_copy(str(folder), start))
        lines.append(line if folder == start else f"(cd {there}; {line})")
    return Command(
        shown,
        ("/bin/sh", "-c", "\n".join(lines)),
        variables=variables,
        launches=tuple(turn.launch for turn in turns),
        files={name: text for turn in turns for name, text in turn.files.items()},
        launched_by=file,
        start=start,
    )


def _of_notebook(
    shown: str, words: list[str], variables: dict[str, str], python: Path, processes: int | None
) -> Command:
    """The notebook as a script, which runs in the notebook's folder as Jupyter runs it there.

    If it makes no trainer and starts a training by a shell line, it is the command of that line.
    """
    try:
        book = notebook(Path(words[0]).absolute())
    except OSError as error:
        raise NoCommand(f"{words[0]}: {error.strerror}") from None
    except Invalid as error:
        raise NoCommand(f"{words[0]} {error}") from None
    if training := started(book, variables):
        return _of_line(shown, training, words[1:], variables, python, processes)
    arguments = (str(python), book.name, *words[1:])
    return Command(shown, arguments, words[0], variables, book, bare=True)


def _of_line(
    shown: str,
    training: tuple[Notebook, Launch],
    more: Sequence[str],
    variables: Mapping[str, str],
    python: Path,
    processes: int | None,
) -> Command:
    """The command of a shell line of a notebook, behind the cells above it."""
    book, launch = training
    try:
        here = without_cluster(launch, more, processes)
    except NotStarted as error:
        raise NoCommand(str(error)) from None
    words = _imported([*_program(here.words[0], python), *here.words[1:]])
    if book.before:
        cells = shlex.join([str(python), book.before.name])
        words = ["/bin/sh", "-c", f"{cells} && {shlex.join(words)}"]
    return Command(
        shown,
        tuple(words),
        launch.script,
        {**variables, **here.variables},
        book,
        processes=here.processes,
        processes_from=here.processes_from,
        launch=launch,
        launched_by=Path(shown.split()[0]).absolute(),
    )


def _imported(words: list[str]) -> list[str]:
    """`python -m` a launcher, as a program that imports it."""
    if words[1:2] == ["-m"] and words[2:3] and words[2] in LAUNCHERS:
        return [words[0], "-c", f"from {words[2]} import main; main()", *words[3:]]
    return words


def _program(name: str, python: Path) -> list[str]:
    """The program of the interpreter that the job will use, or one on PATH."""
    if PYTHON.fullmatch(name):
        return [str(python)]
    if os.sep in name and Path(name).is_file():
        return [str(Path(name).absolute())]
    beside = python.parent / name
    if beside.is_file() and os.access(beside, os.X_OK):
        return [str(beside)]
    if name in MODULES:
        return [str(python), "-m", MODULES[name]]
    path = shutil.which(name)
    if not path and name.endswith((".yaml", ".yml", ".json")) and Path(name).is_file():
        raise NoCommand(
            f"{name} is no command: write `trl-doctor rehearse -- trl … --config {name}`"
        )
    if not path:
        raise NoCommand(f"{name}: there is no such program or script")
    return [path]
