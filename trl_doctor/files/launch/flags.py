"""The options of a command as keys and values, with the place of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.core.unavailable import Undecided
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.inside import name_of
from trl_doctor.files.launch.shell.lines import Lines
from trl_doctor.files.launch.shell.variables import MARK, Inside, Word
from trl_doctor.files.unknown_word import OPEN

LISTS = frozenset(
    {"reward_funcs", "reward_weights", "lora_modules_to_save", "lora_target_parameters",
     "label_names"}
)  # fmt: skip
"""Options of TRL's commands whose values are a list, also if there is only one."""


class Flags(Struct, frozen=True):
    """`known` are values by key, `unknown` the reasons for those that are not known.

    `more` is the reason why there may be further options; "" if there are none.
    """

    known: Mapping[str, Json] = field(default_factory=dict)
    unknown: Mapping[str, Undecided] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    more: str = ""


def config_of(launch: Launch) -> str:
    """The run file that a command of TRL is given."""
    for at, word in enumerate(launch.words):
        name, equals, _ = word.text.partition("=")
        if name == "--config":
            following = [word.behind(len("--config="))] if equals else launch.words[at + 1 : at + 2]
            return name_of(following[0], launch.files) if following else ""
    return ""


def flags(words: Sequence[Word], lines: Lines) -> Flags:
    """`--key value`, `--key=value`, `--key a b`, `--key` and `--no_key` as keys and values."""
    options: dict[str, Json] = {}
    unknown: dict[str, Undecided] = {}
    places: dict[str, Place] = {}
    at, more = 0, ""
    while at < len(words):
        word = words[at]
        at += 1
        if not word.text.startswith("--"):
            more = word.open or more
            continue
        name, equals, value = word.text[2:].partition("=")
        key = name.replace("-", "_")
        values = [Word(value, word.line, word.column, word.open)] if equals else []
        while not equals and at < len(words) and not words[at].text.startswith("--"):
            values.append(words[at])
            at += 1
        if len(values) > 1 and values[-1].open and not values[-1].text:
            more = values.pop().open  # a variable that may hold further options
        places[key] = Place(lines.path, pointer(key), lines.spot(word))
        options.pop(key, None)
        if reason := next((value_word.open for value_word in values if value_word.open), ""):
            unknown[key] = Undecided(f"{key} is not known: {reason} ({lines.named(word.line)})")
        elif not values and key.startswith("no_"):
            options[key.removeprefix("no_")] = False
        else:
            options[key] = _value([value_word.text for value_word in values], key in LISTS)
    return Flags(options, unknown, places, more)


def completed(key: str, names: Collection[str]) -> str:
    """The name that argparse takes a shortened option for: the only one that begins so."""
    whole = [name for name in names if name.startswith(key)] if key not in names else []
    return whole[0] if len(whole) == 1 else key


def with_whole_names(flags: Flags, names: Collection[str]) -> Flags:
    """The same options, each shortened one under its whole name."""
    return Flags(
        {completed(key, names): value for key, value in flags.known.items()},
        {completed(key, names): reason for key, reason in flags.unknown.items()},
        {completed(key, names): place for key, place in flags.places.items()},
        flags.more,
    )


def _value(texts: list[str], several: bool) -> Json:
    if not texts:
        return True
    values = [_typed(text) for text in texts]
    return values[0] if len(values) == 1 and not several else list(values)


def _typed(text: str) -> Json:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def argv(words: Sequence[Word], files: Mapping[str, Inside]) -> tuple[str, ...]:
    """The command line of a script; `OPEN` and the reason stand for a value that is not known.

    A word that names one of the `files` that the launch file contains is known as it is written.
    """
    return tuple(
        _not_known(word) if word.open and word.spelled not in files else name_of(word, files)
        for word in words
    )


def _not_known(word: Word) -> str:
    """Such a word, behind the name of its option in `--name=$VALUE`."""
    name, equals, _ = word.marked.partition("=")
    return (f"{name}=" if equals and MARK not in name else "") + OPEN + word.open
