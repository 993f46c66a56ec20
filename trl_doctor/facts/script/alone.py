"""The part of a script that makes one argument of its trainer, as a probe runs it alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.before_trainer import Part, before_trainer
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import Span


class Alone(Struct, frozen=True):
    """The part for an `argument`, and the text of the script: that of a notebook cell after cell.

    `starts` are the lines of this text with which the pieces of the script begin, less one;
    `argv` are the words of its command line.
    """

    file: Path
    text: str
    argument: str
    call: tuple[int, int]
    part: Part
    argv: tuple[str, ...]
    places: Places
    starts: tuple[tuple[int, int], ...]

    def request(self) -> dict[str, Json]:
        """What the probe gets."""
        return {
            "file": str(self.file.absolute()),
            "text": self.text,
            "argument": self.argument,
            "call": list(self.call),
            "runs": _listed(self.part.runs),
            "opens": _listed(self.part.opens),
            "wide": {"runs": _listed(self.part.wide[0]), "opens": _listed(self.part.wide[1])},
            "last": list(self.part.last),
            "argv": list(self.argv),
        }

    def place(self, line: int) -> Place:
        """Where a line of the text is in the script or the notebook."""
        source, start = max(
            (start for start in self.starts if start[1] < line), key=lambda start: start[1]
        )
        at = line - start
        return self.places.place("", Span(source, at, 0, at, 0))


def alone(facts: Facts, argument: str) -> Alone:
    """Raises `NotConcerned` if the script passes no such argument, else `Unavailable`."""
    script = facts.run.file
    if not isinstance(script, Script) or facts.run.script.value(argument) is None:
        raise NotConcerned(f"the run is no script that passes {argument}")
    if script.main is None or script.places.pieces[script.main.source].path != script.path:
        raise Unavailable("another file makes the trainer")
    texts, starts = list[str](), dict[int, int]()
    for source, piece in enumerate(script.places.pieces):
        if piece.path == script.path and not piece.written:
            starts[source] = sum(text.count("\n") for text in texts)
            texts.append(_ended(piece))
    text = "".join(texts)
    call = (script.main.line + starts.get(script.main.source, 0), script.main.column)
    try:
        part = before_trainer(text, call, argument)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unavailable("the script's syntax is not known") from None
    argv = tuple(facts.run.target.argv or ())
    return Alone(
        script.path, text, argument, call, part, argv, script.places, tuple(starts.items())
    )


def _listed(spots: Iterable[tuple[int, int]]) -> list[Json]:
    return [list(spot) for spot in spots]


def _ended(piece: Piece) -> str:
    text = piece.python()
    return text if text.endswith("\n") or piece.cell is None else f"{text}\n"
