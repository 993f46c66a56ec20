"""The jobs of hydra's `--multirun`: a script with each of several values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from trl_doctor.files.hydra_words import OF_HYDRA, SWEEPS, values
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.loops import MOST
from trl_doctor.files.launch.shell.variables import Word


def multirun(launch: Launch) -> Iterator[Launch]:
    """The same line once for each value of a word, without what hydra itself takes."""
    if not launch.script or not _sweeps(launch.words):
        yield launch
        return
    words = [word for word in launch.words if word.text not in SWEEPS]
    words = [word for word in words if not word.text.startswith(OF_HYDRA)]
    choices = [[word] if word.open else _each(word) for word in words]
    before = launch.whole[: len(launch.whole) - len(launch.words)]
    for number in range(min(MOST, max(map(len, choices), default=1))):
        chosen = [each[min(number, len(each) - 1)] for each in choices]
        turn = _turn(choices, chosen)
        whole = (*before, *chosen)
        yield replace(launch, words=tuple(chosen), whole=whole, turn=(*launch.turn, *turn))


def _sweeps(words: Sequence[Word]) -> bool:
    """Whether hydra sweeps: `-m` can be an option of the script, where other words are, too."""
    texts = [word.text for word in words]
    only_values = all(text in SWEEPS or "=" in text.lstrip("-") for text in texts)
    return "--multirun" in texts or (
        "-m" in texts and only_values and not any(text.startswith("--") for text in texts)
    )


def _each(word: Word) -> list[Word]:
    return [replace(word, text=text) for text in values(word.text)]


def _turn(choices: Sequence[Sequence[Word]], chosen: Sequence[Word]) -> Iterator[tuple[str, str]]:
    for each, word in zip(choices, chosen, strict=True):
        if len(each) > 1:
            name, _, value = word.text.partition("=")
            yield name, value
