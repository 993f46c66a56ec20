"""The tasks of an array of Slurm's jobs: `#SBATCH --array=0-3%2`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from trl_doctor.files.launch.directives import directives, values
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.loops import MOST

PART = re.compile(r"(\d{1,7})(?:-(\d{1,7})(?::(\d{1,7}))?)?")

TASK = "SLURM_ARRAY_TASK_ID"


class Tasks:
    """The numbers of the tasks; `alone` says that one runs at a time (`%1`)."""

    def __init__(self, written: str) -> None:
        listed, _, limit = written.partition("%")
        self.alone = limit == "1"
        self.numbers: list[int] = []
        for match in filter(None, map(PART.fullmatch, listed.split(","))):
            first, last = int(match[1]), int(match[2] or match[1])
            self.numbers += range(first, last + 1, int(match[3] or 1) or 1)[:100_000]


def tasks_of(text: str) -> Tasks | None:
    """The tasks that the directives of a script ask for; None without an array."""
    asked = values(directives(text), "--array", "-a")
    tasks = Tasks(asked[-1]) if asked else None
    return tasks if tasks and tasks.numbers else None


def of_tasks(tasks: Tasks, read: Callable[[int], Iterable[Launch]]) -> Iterator[Launch]:
    """The trainings of the first tasks and the last, each once; `read` gives those of one task.

    One that several tasks start alike counts them in `repeats`, unless they run one at a time.
    """
    numbers = [*tasks.numbers[: MOST - 1], *tasks.numbers[MOST - 1 :][-1:]]
    found: dict[tuple[object, ...], Launch] = {}
    for number in numbers:
        for launch in read(number):
            variables = {key: value for key, value in launch.variables.items() if key != TASK}
            words = tuple(word.inner for word in (*launch.before, *launch.whole))
            others = tuple(pair for pair in launch.turn if pair[0] != TASK)
            key = (launch.line, launch.folder, words, others, tuple(sorted(variables.items())))
            if key not in found:
                found[key] = launch
            elif not tasks.alone:
                found[key] = replace(found[key], repeats=found[key].repeats + 1)
    yield from found.values()
