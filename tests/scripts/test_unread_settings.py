"""Which settings of a script nothing in it reads, and where the reader cannot know that."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.source.reading import Start, read_source
from trl_doctor.files.source.unread import unread

OPTIONS = (
    "import argparse\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--lora_r', type=int, default=8)\nargs = parser.parse_args()\n"
)
FIELDS = "from dataclasses import dataclass, asdict\n@dataclass\nclass Mine:\n    lora_r: int = 8\n"
PARSED = (
    f"{FIELDS}from trl import TrlParser\n(mine,) = TrlParser((Mine,)).parse_args_and_config()\n"
)


def settings(text: str, *words: str, folder: Path = Path()) -> list[tuple[str, bool, int]]:
    """Name, whether it is stated, and the line."""
    reading = read_source(folder / "train.py", text.encode(), Start(words))
    return [(setting.name, setting.stated, setting.span.line) for setting in unread(reading)]


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        (OPTIONS, (), [("lora_r", False, 3)]),
        (OPTIONS, ("--lora_r", "4"), [("lora_r", True, 3)]),
        (PARSED, ("--lora_r", "4"), [("lora_r", True, 4)]),
        (f"{FIELDS}mine = Mine()\n", (), [("lora_r", False, 4)]),
        (f"{FIELDS}mine = Mine(lora_r=4)\n", (), [("lora_r", True, 5)]),
        (f"{FIELDS}mine = Mine(4)\n", (), [("lora_r", True, 5)]),
        ("class CFG:\n    lora_r = 8\n", (), [("lora_r", False, 2)]),
        ("LORA_R = 8\n", (), [("LORA_R", False, 1)]),
    ],
)
def test_a_setting_that_nothing_reads(
    text: str, words: tuple[str, ...], expected: list[tuple[str, bool, int]]
) -> None:
    assert settings(text, *words) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"{OPTIONS}print(args.lora_r)\n",
        f"{OPTIONS}print(getattr(args, 'lora_r'))\n",
        f"{OPTIONS}for name in names:\n    print(getattr(args, name))\n",
        f"{OPTIONS}print(vars(args))\n",
        f"{OPTIONS}print(args.__dict__)\n",
        f"{OPTIONS}import helper\nhelper.train(args)\n",
        f"{OPTIONS}import wandb\nrun = wandb.init()\nrun.log(args)\n",
        f"{FIELDS}mine = Mine(lora_r=4)\nprint(asdict(mine))\n",
        "LORA_R = 8\nprint(LORA_R)\n",
        "class CFG:\n    lora_r = 8\nprint(CFG.lora_r)\n",
    ],
)
def test_settings_that_may_be_read_are_not_reported(text: str) -> None:
    assert settings(text, "--lora_r", "4") == []


def test_a_module_beside_the_script_reads_too(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def train(given):\n    return given.lora_r\n")
    assert settings(f"{OPTIONS}import helper\nhelper.train(args)\n", folder=tmp_path) == []
    (tmp_path / "helper.py").write_text("def train(given):\n    return 8\n")
    text = f"{OPTIONS}import helper\nhelper.train(args)\n"
    assert settings(text, folder=tmp_path) == [("lora_r", False, 3)]
