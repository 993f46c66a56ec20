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
    runs it, with its options.
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

    @property
    def srun(self) -> bool:
        """Whether `srun` of Slurm starts it, and the file's own shell has filled in its words."""
        return any(word.text == "srun" for word in self.before)

    @property
    def shown(self) -> str:
        """Its line in words: `line 3`, in a notebook `cell 3, line 5`."""
        called = f" (called in line {self.called})" if self.called else ""
        return self.cell or f"line {self.line}{called}"

    def named_in(self, launcher: Path) -> str:
        """Its line with the name of its file: `job.sh:3`, `train.ipynb, cell 3, line 5`."""
        return f"{launcher.name}, {self.cell}" if self.cell else f"{launcher.name}:{self.line}"
