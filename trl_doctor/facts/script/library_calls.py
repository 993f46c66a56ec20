"""What a script uses and calls of the libraries, whatever happens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.facts.passed import Call
from trl_doctor.facts.script.trainers import used
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.state import LIBRARIES
from trl_doctor.files.source.values import LibraryObject, Span

ELSEWHERE = ("Trainer", "TrainingArguments")
"""Ends of names of classes whose arguments other rules know."""


def around(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The names that a script uses of the libraries around TRL."""
    others = LIBRARIES - {"trl"}
    return ((name, at) for name, at in used(reading) if name.partition(".")[0] in others)


def calls(reading: Reading, places: Places) -> Iterator[Call]:
    """The calls of functions and classes of libraries that the script surely makes."""
    gives_rows: dict[int, bool] = {}
    for made in reading.made:
        if made.guards or made.tried:
            continue
        if method := _method_of_rows(made, gives_rows):
            keywords = {
                name: places.place("", argument.name or argument.whole or made.span)
                for name, argument in made.keywords.items()
                if not argument.perhaps
            }
            yield Call(f"{ROWS}{method}", 0, keywords, True, places.place("", made.span))
        elif made.base is None and _is_plain_call(made):
            places_by_name = {
                name: places.place("", argument.name or argument.whole or made.span)
                for name, argument in made.keywords.items()
                if not argument.perhaps
            }
            open_ = made.rest is not None or len(places_by_name) < len(made.keywords)
            place = places.place("", made.span)
            yield Call(made.of, len(made.arguments), places_by_name, open_, place)


ROWS = "datasets.Dataset."
READING = re.compile(
    r"datasets\.(load_dataset|load_from_disk|concatenate_datasets|interleave_datasets"
    r"|(Dataset|IterableDataset|DatasetDict)(\.from_\w+)?)"
)
"""What gives a data set, or a dictionary of several."""

METHODS = frozenset(
    ["map", "filter", "select", "shuffle", "train_test_split", "rename_column", "rename_columns",
     "remove_columns", "select_columns", "shard", "with_format", "take", "skip", "flatten", "cast",
     "cast_column", "add_column", "class_encode_column"]
)  # fmt: skip
"""Methods of data sets that give one again."""


def _method_of_rows(made: LibraryObject, gives_rows: dict[int, bool]) -> str:
    """The method of a data set that is called; "" where it is none, or of something else.

    `gives_rows` keeps what is known of the objects that it looked at, by their identity.
    """
    name = made.of.rpartition(".")[2]
    if made.base is None or name not in METHODS:
        return ""
    chain: list[LibraryObject] = []
    above = made.base
    while id(above) not in gives_rows:
        chain.append(above)
        if above.base is None:
            gives_rows[id(above)] = bool(READING.fullmatch(above.of))
            break
        above = above.base
    for below in reversed(chain):
        if below.base is not None:
            part = below.of.removeprefix(below.base.of)
            own = part.startswith("[") or part.removeprefix(".") in METHODS
            gives_rows[id(below)] = own and gives_rows[id(below.base)]
    return name if gives_rows[id(made.base)] else ""


def _is_plain_call(made: LibraryObject) -> bool:
    """Whether it is a plain call of a library, and no class of the script that derives from one."""
    package = made.of.partition(".")[0]
    if package not in LIBRARIES or made.fields or made.own or made.parsed:
        return False
    config = package == "trl" and made.short.endswith(("Config", "Arguments"))
    return not config and not made.short.endswith(ELSEWHERE)
