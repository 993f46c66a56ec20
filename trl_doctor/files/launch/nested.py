"""The commands that another command is given as one text: `bash -c "…"`, `sbatch --wrap "…"`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trl_doctor.files.launch.cluster import Cluster, of_slurm
from trl_doctor.files.launch.shell.variables import Word

SHELLS = ("bash", "sh", "zsh")
ELSEWHERE = ("ssh", "tmux", "screen", "kubectl", "gcloud", "pdsh")
"""What gives a quoted command to another machine or terminal."""

GIVEN = re.compile(r"-\w*c")
"""The option of a shell before a command."""


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


def given_words(name: str, words: Sequence[Word]) -> Sequence[Word]:
    """The words behind the text of commands: `$0`, and what the text reads as `$1` and `$@`."""
    return _given(words)[1:] if name in SHELLS else ()


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
