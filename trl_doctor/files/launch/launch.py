"""One line that starts a training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.shell.variables import Inside, Word


class Launch(Struct, frozen=True):
    """One line that starts a training.

    `command` is TRL's ("grpo"), or "" for a script, whose name is then in `script`. `words` are the
    arguments after it. `processes` is the number of processes if the line or the file states it.
    `accelerate` is the config file of accelerate. `variables` are set where the line starts.
    `whole` is the command with its program, `cluster` what the file asks the scheduler for. `kept`
    are variables that the file sets and does not export: the script does not get them. `files` are
    those that the file itself contains. `cut` are options below the line that the command does not
    get, because the line ended before them, and `cut_by` is what ended it. `cell` is the place in a
    notebook ("cell 3, line 5"). `folder` is where the line starts, "" if the file does not say it;
    `mounts` are paths inside its container with those outside. `called` is the line that calls the
    function in which it is, 0 outside of functions. `before` are the words before the command: what
    runs it, with its options. `turn` are the variables of the loops around the line, or of the task
    of an array, with their values. `file` is the launch file that has the line, if another one
    starts it in its line `reached`. `starts` is such a file, which this line starts with `words`;
    `submitted` says that `sbatch` does. `around` are the words that start the shell in which the
    command is: `srun bash -c "…"`. `repeats` counts the tasks of an array that start it alike.
    `withheld` are the variables that the file which starts its file sets and does not export.
    `lacking` are arrays of the shell in which a word was asked for that is not there, each with
    its number and the number of words.
    """

    line: int
    column: int
    command: str
    script: str
    words: tuple[Word, ...]
    processes: int | None = None
    processes_from: str = ""
    accelerate: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    whole: tuple[Word, ...] = ()
    cluster: Cluster = field(default_factory=Cluster)
    kept: Mapping[str, Word] = field(default_factory=dict)
    files: Mapping[str, Inside] = field(default_factory=dict)
    cut: tuple[Word, ...] = ()
    cut_by: str = ""
    cell: str = ""
    folder: str = ""
    mounts: tuple[tuple[str, str], ...] = ()
    called: int = 0
    before: tuple[Word, ...] = ()
    turn: tuple[tuple[str, str], ...] = ()
    file: str = ""
    reached: int = 0
    starts: str = ""
    submitted: bool = False
    around: tuple[Word, ...] = ()
    repeats: int = 1
    lacking: tuple[tuple[str, int, int], ...] = ()
    withheld: Mapping[str, Word] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from the other lines of its file."""
        return self.file, self.reached, self.line, self.script, self.command, self.turn

    @property
    def srun(self) -> bool:
        """Whether `srun` of Slurm starts it, and the file's own shell has filled in its words."""
        return any(word.text == "srun" for word in self.before)

    @property
    def shown(self) -> str:
        """Its line in words: `line 3`, in a notebook `cell 3, line 5`."""
        called = f" (called in line {self.called})" if self.called else ""
        turn = f" ({', '.join(f'{name}={value}' for name, value in self.turn)})"
        place = f"line {self.line}{called}{turn if self.turn else ''}"
        if self.file:
            place = f"line {self.reached}, which starts {Path(self.file).name}: {place}"
        return self.cell or place

    def named_in(self, launcher: Path) -> str:
        """Its line with the name of its file: `job.sh:3`, `train.ipynb, cell 3, line 5`."""
        return f"{launcher.name}, {self.cell}" if self.cell else f"{launcher.name}:{self.line}"
