"""Scripts that stop because something is not on this machine are read all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.source.reading import Reading, Start, read_source
from trl_doctor.files.source.values import Plain, Unknown, Value

HEAD = "import argparse, os, sys\nfrom trl import DPOTrainer, SFTTrainer\n"
SHAPES = {
    "a variable": (
        "def base():\n    name = os.environ.get('BASE', '').strip()\n    if not name:\n"
        "        raise ValueError('set BASE')\n    return name\n"
        "SFTTrainer(base(), train_dataset=1)\n"
    ),
    "a default of a function that is called elsewhere": (
        "def train(name=None):\n    if name is None:\n        raise ValueError('set BASE')\n"
        "    SFTTrainer(name)\n"
    ),
    "an option": (
        "parser = argparse.ArgumentParser()\nparser.add_argument('--base')\n"
        "args = parser.parse_args()\nif not args.base:\n    raise SystemExit('give --base')\n"
        "SFTTrainer(args.base)\n"
    ),
    "a file": (
        "root = None\nfor folder in ('.', '..'):\n    if os.path.exists(f'{folder}/keys.txt'):\n"
        "        root = folder\nif root is None:\n    raise RuntimeError('no keys')\n"
        "SFTTrainer(f'{root}/model')\n"
    ),
}
SURE = "if True:\n    raise ValueError('old')\nSFTTrainer('org/m')\n"
WHY = "the script raises ValueError('set BASE') without it"


def read(text: str, argv: tuple[str, ...] | None = None) -> Reading:
    return read_source(Path("train.py"), (HEAD + text).encode(), Start(argv))


def model(reading: Reading) -> Value | None:
    (trainer,) = [made for made in reading.made if made.trains]
    return trainer.argument("model", 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_trainer_is_found_and_what_is_missing_is_not_known(shape: str) -> None:
    value = model(read(SHAPES[shape]))
    assert isinstance(value, Unknown), value
    if "BASE" in SHAPES[shape]:
        assert value.why == WHY


def test_a_command_line_that_is_given_is_taken_as_it_is() -> None:
    reading = read(SHAPES["an option"], ())
    assert reading.made == [] or not any(made.trains for made in reading.made)
    given = model(read(SHAPES["an option"], ("--base", "org/m")))
    assert isinstance(given, Plain) and given.value == "org/m"


def test_other_values_are_kept() -> None:
    text = SHAPES["an option"].replace("SFTTrainer(", "SFTTrainer(args=1, model=")
    (trainer,) = [made for made in read(text).made if made.trains]
    kept = trainer.argument("args", 1)
    assert isinstance(kept, Plain) and kept.value == 1


def test_a_script_that_always_fails_is_read_to_its_trainer() -> None:
    value = model(read(SURE))
    assert isinstance(value, Plain) and value.value == "org/m"


PARSED = """
from dataclasses import dataclass
from trl import SFTConfig, SFTTrainer, TrlParser
@dataclass
class Own:
    name: str
    when: str = None
    steps: int = 3
own = TrlParser(dataclass_types=[Own]).parse_args_and_config()[0]
SFTTrainer("org/m", args=SFTConfig("out", eval_strategy=own.when, max_steps=own.steps))
"""


def settings(text: str) -> dict[str, Value]:
    (config,) = [made for made in read(text).made if made.short == "SFTConfig"]
    return {key: named.value for key, named in config.keywords.items()}


def test_what_only_a_run_file_gives_is_not_known() -> None:
    given = settings(PARSED)
    assert isinstance(given["eval_strategy"], Unknown) and isinstance(given["max_steps"], Plain)
    alone = settings(PARSED.replace("name: str", "name: str = 'a'"))
    assert isinstance(alone["eval_strategy"], Plain)
