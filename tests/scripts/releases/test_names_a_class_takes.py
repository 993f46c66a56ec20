"""Arguments that a script leaves out where the installed class does not take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

NEW = ["trl==1.16.0", "transformers==5.23.0"]
OLD = ["trl==0.15.2", "transformers==4.48.3"]
HEAD = "import dataclasses, inspect\nfrom trl import SFTConfig, SFTTrainer\n"
GIVEN = "given = dict(output_dir='out', learning_rate=3e-5, max_seq_length=9, max_length=7, x=1)\n"
MAKES = "SFTTrainer('org/m', args=SFTConfig(**given))\n"
FILTERS = {
    "signature of the class": (
        "taken = inspect.signature(SFTConfig).parameters\n"
        "given = {k: v for k, v in given.items() if k in taken}\n"
    ),
    "signature of its __init__": (
        "taken = set(inspect.signature(SFTConfig.__init__).parameters) - {'self'}\n"
        "given = {key: value for key, value in given.items() if key in taken}\n"
    ),
    "keys": (
        "taken = inspect.signature(SFTConfig.__init__).parameters.keys()\n"
        "given = {k: v for k, v in given.items() if k in taken}\n"
    ),
    "names of the fields": (
        "taken = {f.name for f in dataclasses.fields(SFTConfig)}\n"
        "given = {k: v for k, v in given.items() if k in taken}\n"
    ),
    "fields of the class": (
        "given = {k: v for k, v in given.items() if k in SFTConfig.__dataclass_fields__}\n"
    ),
    "a function": (
        "def kept(cls, words):\n"
        "    taken = inspect.signature(cls).parameters\n"
        "    return {k: v for k, v in words.items() if k in taken}\n"
        "given = kept(SFTConfig, given)\n"
    ),
}


def opened(folder: Path, text: str, versions: list[str]) -> Run:
    path = folder / "train.py"
    path.write_text(HEAD + text)
    world = environment(None, versions, installed=False)
    return open_run(Target(path.name, "script", path, "a Python script"), world, Options())


def known(run: Run, key: str) -> Any:
    try:
        return run.arguments.get(key)
    except Unavailable:
        return "not known"


@pytest.mark.parametrize("form", FILTERS)
def test_what_the_class_does_not_take_is_left_out(form: str, tmp_path: Path) -> None:
    run = opened(tmp_path, GIVEN + FILTERS[form] + MAKES, NEW)
    assert run.arguments["learning_rate"] == 3e-5
    assert [known(run, key) for key in ("max_length", "max_seq_length", "x")] == [7, None, None]
    run = opened(tmp_path, GIVEN + FILTERS[form] + MAKES, OLD)
    assert [known(run, key) for key in ("max_length", "max_seq_length", "x")] == [None, 9, None]


def test_a_condition_that_is_not_known(tmp_path: Path) -> None:
    text = GIVEN + "given = {k: v for k, v in given.items() if k in taken}\n" + MAKES
    run = opened(tmp_path, text, NEW)
    assert known(run, "learning_rate") == "not known"
    with pytest.raises(Unavailable, match="it depends on `k in taken`"):
        run.arguments["learning_rate"]
    assert run.arguments.get("beta") is None


def test_without_transformers_only_what_all_releases_have_is_certain(tmp_path: Path) -> None:
    given = "given = dict(output_dir='out', learning_rate=3e-5, warmup_ratio=0.1, max_length=7)\n"
    text = given + FILTERS["signature of the class"] + MAKES
    run = opened(tmp_path, text, ["trl==1.16.0"])
    assert [known(run, key) for key in ("learning_rate", "max_length")] == [3e-5, 7]
    assert known(run, "warmup_ratio") == "not known"


def test_without_trl_nothing_is_certain(tmp_path: Path) -> None:
    run = opened(tmp_path, GIVEN + FILTERS["signature of the class"] + MAKES, [])
    assert known(run, "learning_rate") == "not known"


BRANCHES = """\
taken = inspect.signature(SFTTrainer.__init__).parameters
words = {"model": "org/m", "args": SFTConfig("out")}
if "tokenizer" in taken:
    words["tokenizer"] = AutoTokenizer.from_pretrained("org/old")
elif "processing_class" in taken:
    words["processing_class"] = AutoTokenizer.from_pretrained("org/new")
else:
    raise RuntimeError("no")
SFTTrainer(**words)
"""


@pytest.mark.parametrize(
    "versions, name",
    [(["trl==0.9.6"], "org/old"), (["trl==1.16.0"], "org/new")],
)
def test_a_branch_by_what_the_trainer_takes(versions: list[str], name: str, tmp_path: Path) -> None:
    run = opened(tmp_path, "from transformers import AutoTokenizer\n" + BRANCHES, versions)
    tokenizer = run.models["tokenizer"]
    assert not isinstance(tokenizer, Unavailable)
    assert str(tokenizer.name) == name


def test_entries_of_a_known_dictionary(tmp_path: Path) -> None:
    text = (
        "given = {'output_dir': 'out', 'learning_rate': 3e-5, 'seed': None}\n"
        "given = {k: v for k, v in given.items() if v is not None}\n" + MAKES
    )
    run = opened(tmp_path, text, NEW)
    assert run.arguments["learning_rate"] == 3e-5
    assert known(run, "seed") is None


OWN = """\
@dataclasses.dataclass
class Settings:
    learning_rate: float = 1e-6
    beta: float = 0.1

raw = {"learning_rate": 2e-5, "name": "run", "beta": 0.3}
settings = Settings(**{k: v for k, v in raw.items() if k in ASKED})
SFTTrainer("org/m", args=SFTConfig("out", learning_rate=settings.learning_rate))
"""


@pytest.mark.parametrize(
    "asked",
    ["Settings.__annotations__", "Settings.__dataclass_fields__",
     "inspect.signature(Settings).parameters", "{f.name for f in dataclasses.fields(Settings)}"],
)  # fmt: skip
def test_a_class_of_the_script_s_own(asked: str, tmp_path: Path) -> None:
    run = opened(tmp_path, OWN.replace("ASKED", asked), NEW)
    assert run.arguments["learning_rate"] == 2e-5
