"""The commands that another command is given as one text: `bash -c "…"`, `sbatch --wrap "…"`.

So is a file that the launch file writes: `cat > job.sh <<EOF … EOF`, then `sbatch job.sh`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from trl_doctor.files.launch.cluster import Cluster, of_slurm
from trl_doctor.files.launch.shell.functions import arguments
from trl_doctor.files.launch.shell.inside import named_alike, named_exactly
from trl_doctor.files.launch.shell.variables import Inside, Shell, Word

SHELLS = ("bash", "sh", "zsh")
REMOTE = ("ssh", "kubectl", "gcloud", "pdsh")
"""What gives a command to another machine."""

ELSEWHERE = (*REMOTE, "tmux", "screen")
"""What gives a quoted command to another machine or terminal."""

GIVEN = re.compile(r"-\w*c")
"""The option of a shell before a command."""


class Nested(Struct, frozen=True):
    """A text of commands that begins in a line; without `arguments` it has those around it."""

    text: str
    line: int
    cluster: Cluster
    arguments: dict[str, list[Word]]
    file: Inside | None = None

    def inside(self, shell: Shell) -> Shell:
        """The shell that runs the text: it does not start its own file once more."""
        inner = shell.inner()
        inner.arguments = self.arguments or inner.arguments
        if self.file:
            inner.files = {key: file for key, file in shell.files.items() if file is not self.file}
        return inner


def nested_text(name: str, words: Sequence[Word], shell: Shell, cluster: Cluster) -> Nested | None:
    """The commands that a command is given as a text, or in a file that the launch file writes."""
    if text := given_text(name, words):
        asked = of_options(words) if name == "sbatch" else cluster
        behind = _given(words)[1:] if name in SHELLS else ()
        return Nested(text, words[0].line, asked, arguments(behind) if len(behind) > 1 else {})
    if name not in (*SHELLS, "sbatch"):
        return None
    for at, word in enumerate(words):
        path = word.spelled if word.open else word.text
        file = named_exactly(shell.files, path) or named_alike(shell.files, path)
        if file is not None and not file.cells:
            asked = of_slurm(file.text) if name == "sbatch" else cluster
            return Nested(file.text, file.line, asked, arguments(words[at:]), file)
    return None


def given_text(name: str, words: Sequence[Word]) -> str:
    """The text of commands that a command is given; "" if it is given none."""
    if name == "eval":
        return " ".join(word.inner for word in words)
    if name in SHELLS:
        given = _given(words)
        return given[0].inner if given else ""
    if name in ELSEWHERE:
        return next((word.inner for word in words if not word.bare and " " in word.text), "")
    return _wrapped(words) if name == "sbatch" else ""


def _given(words: Sequence[Word]) -> Sequence[Word]:
    """The words behind a shell's option `-c`."""
    options = (words[at:] for at, word in enumerate(words[:4], 1) if GIVEN.fullmatch(word.text))
    return next((rest for rest in options if rest), ())


def _wrapped(words: Sequence[Word]) -> str:
    """The command of `sbatch --wrap`."""
    for at, word in enumerate(words):
        if word.text.startswith("--wrap="):
            return word.inner.partition("=")[2]
        if word.text == "--wrap":
            return "".join(following.inner for following in words[at + 1 : at + 2])
    return ""


def of_options(words: Sequence[Word]) -> Cluster:
    """The resources that the options of `sbatch` request."""
    options = (word.text for word in words if " " not in word.text)
    return of_slurm(f"#SBATCH {' '.join(options)}")
