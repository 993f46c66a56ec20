"""Sees a script that measures a trained model with rows of the training, and no others."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import linecache
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...processing import tokenizer_of
from ..record import Mistake, Record
from ..rows.intent import says
from ..rows.letters import letters
from ..where import At, is_own

ROWS, MOST = 512, 256
"""Rows that are remembered, and texts that are asked, at most."""

FEWEST, SHORTEST = 4, 12
"""Different texts that are asked, and letters of one, at least."""

PIECE = 4
"""Tokens of a call, at least: a text that is generated goes on with one at a time."""

AROUND = 14
"""Lines before the one that asks in which it is looked for what is measured."""

TRAINS = ".train("
"""What is in a line that trains: what is said before it is about the training."""

MEASURES = re.compile(
    r"accura|(?<!learning)_rate\b|\brate\b|correct|perplex|metric|evaluat|measure|success",
    re.I,
)
"""What is said where a model is measured."""

EVALUATES = ".evaluate("
"""What is in a line that evaluates with rows of the trainer's, which `compared` looks at."""

MEANT = re.compile(r"memori[sz]|overfit|sanity|smoke|train(ing)?[ _](accuracy|loss|set)", re.I)
"""What a script says that asks for what was learnt on purpose."""

ANSWERS = ("chosen", "rejected", "completion", "text")


class AskedAgain:
    """The texts that the script gives to a trained model."""

    def __init__(self, record: Record) -> None:
        self.record, self.learned = record, list[str]()
        self.tokenizer: Any = None
        self.asked, self.others = dict[str, At](), False
        self.measures = False

    def training(self, trainer: Any) -> None:
        """A trainer is about to train on its rows."""
        if not self.learned:
            atexit.register(self._tell)
        with contextlib.suppress(Exception):  # rows of another kind
            self.tokenizer = tokenizer_of(trainer)
            rows = itertools.islice(iter(trainer.train_dataset), ROWS)
            self.learned += [
                letters(text) for row in rows for text in _texts(dict(row), self.tokenizer)
            ]

    def asks(self, ids: Any, at: At) -> None:
        """The script asks a trained model after the training."""
        if getattr(ids, "ndim", 0) != 2 or ids.shape[1] < PIECE or len(self.asked) >= MOST:
            return
        own = EVALUATES not in linecache.getline(*at)
        self.measures = self.measures or (own and bool(MEASURES.search(_around(at))))
        for row in ids.tolist():
            text = letters(self.tokenizer.decode(row, skip_special_tokens=True))
            if not any(text in learned for learned in self.learned):
                self.others = True
            elif len(text) >= SHORTEST and own:
                self.asked.setdefault(text, at)

    def _tell(self) -> None:
        if self.measures and not self.others and len(self.asked) >= FEWEST and not says(MEANT):
            at = next(iter(self.asked.values()))
            self.record.mistake(Mistake("asked again", [str(len(self.asked))], at))


def _around(at: At) -> str:
    """The lines before one, and the names of the script's functions that led there."""
    frame: FrameType | None = sys._getframe(1)
    names = list[str]()
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            names.append(frame.f_code.co_name)
        frame = frame.f_back
    lines = linecache.getlines(at[0])[max(0, at[1] - AROUND) : at[1]]
    trains = [number for number, line in enumerate(lines, 1) if TRAINS in line]
    return " ".join([*names, *lines[max(trains, default=0) :]])


def _texts(row: dict[str, Any], tokenizer: Any) -> Iterator[str]:
    """The texts of a row: of its columns with words, else of its tokens."""
    prompt = row.get("prompt")
    said = [row[name] for name in ANSWERS if isinstance(row.get(name), str)]
    if said and isinstance(prompt, str | None):
        yield from ((prompt or "") + text for text in said)
        return
    tokens = {name: ids for name, ids in row.items() if name.endswith("ids")}
    front: list[int] = next(
        (tokens.pop(name) for name in [*tokens] if name.startswith("prompt")), []
    )
    yield from (str(tokenizer.decode([*front, *ids])) for ids in tokens.values())
