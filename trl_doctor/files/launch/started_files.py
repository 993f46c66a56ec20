"""Launch files that a launch file starts: `bash train.sh`, `sbatch job.sbatch`, `srun ./run.sh`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from trl_doctor.files.launch import forms
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.nested import SHELLS, of_options
from trl_doctor.files.launch.shell.variables import Word

HANDLES = ("chmod", "cp", "mv", "rm", "cat", "scp", "rsync", "tar", "sed", "ls", "git", "chown")
"""Commands that do something else with a file than to start it, also behind `sudo` or `kubectl`."""


def started_file(
    words: Sequence[Word], at: int, cluster: Cluster, variables: Mapping[str, str]
) -> Launch | None:
    """The launch file that a command starts at one of its words; None if it starts none."""
    name = PurePosixPath(words[at].text).name
    if any(PurePosixPath(word.text).name in HANDLES for word in words[:at]):
        return None
    if name in (*SHELLS, "sbatch"):
        found = next((n for n, word in enumerate(words[at + 1 :], at + 1) if _is_file(word)), None)
        if found is None:
            return None
        options = words[at + 1 : found]
        if name == "sbatch":
            cluster, variables = of_options(options), _exported(options, variables)
    elif _is_file(words[at]):
        found = at
    else:
        return None
    word, head = words[found], words[0]
    return Launch(
        head.line,
        head.column,
        "",
        "",
        tuple(words[found + 1 :]),
        variables=dict(variables),
        starts=word.text,
        cluster=cluster,
        submitted=name == "sbatch",
    )


def _is_file(word: Word) -> bool:
    return (
        not word.open
        and not word.text.startswith("-")
        and "=" not in word.text
        and PurePosixPath(word.text).suffix.lower() in forms.SHELL
    )


def _exported(options: Sequence[Word], variables: Mapping[str, str]) -> Mapping[str, str]:
    """The variables that `sbatch --export` passes on; without the option all of them."""
    texts = [word.text for word in options]
    given = [text.partition("=")[2] for text in texts if text.startswith("--export=")]
    given += [texts[at + 1] for at, text in enumerate(texts[:-1]) if text == "--export"]
    if not given:
        return variables
    passed: dict[str, str] = {}
    for part in given[-1].split(","):
        name, equals, value = part.partition("=")
        if part == "ALL":
            passed = {**variables, **passed}
        elif equals:
            passed[name] = value
        elif name in variables:
            passed[name] = variables[name]
    return passed
