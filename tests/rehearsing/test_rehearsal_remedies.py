"""What a rehearsal advises about an error, from the objects at the line that raised it."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.devices import demanded
from trl_doctor.probes.rehearsal.errors.failing import failing
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events

ROWS = """\
class Dataset:
    column_names = ["question", "response"]
    def rename(self, name):
        raise ValueError(f"Column '{name}' doesn't exist.")
"""
BUILD = "def build(model, *, learning_rate=1):\n    pass\n"
CASES = {
    "a key": ('row = {"question": 1, "response": 2}\nrow["responses"]\n',
              "write 'response', or make this key before the line",
              "the keys of row: question, response"),
    "a key of a part": ('run = {"data": {"x": 1}}\nname = "rows"\nrun["data"][name]\n',
                        "name a key that run['data'] has, or make this one before the line",
                        "the keys of run['data']: x"),
    "a column": ("from rows_library import Dataset\nrows = Dataset()\nrows.rename('responses')\n",
                 "write 'response', or make this column before the line",
                 "the columns of rows: question, response"),
    "a split": ("from rows_library import Dataset\nrows = Dataset()\nrows.rename('train')\n",
                "rows is one split already: write rows instead of rows['train'], or load it "
                "without split=", "the columns of rows: question, response"),
    "a keyword": (BUILD + "build(1, learningrate=2)\n",
                  "write learning_rate= instead of learningrate=", "it takes model, learning_rate"),
    "a keyword of nothing": (BUILD + "build(1, dropout=2)\n",
                             "remove dropout=, which it does not take",
                             "it takes model, learning_rate"),
    "an attribute": ("import json\njson.dumbs\n", "write dumps", ""),
    "an attribute of another word": ("from types import SimpleNamespace as N\n"
                                     "N(num_generations=2).num_iterations\n", "", ""),
    "an attribute of trl": ("class GRPOConfig: __module__ = 'trl.trainer'\n"
                            "GRPOConfig().num_iterations\n",
                            "num_iterations of GRPOConfig comes with trl 0.16.0: install such a "
                            "release, or add it to a config class of the script", ""),
    "a method of trl": ("class DPOTrainer: __module__ = 'trl.trainer'\n"
                        "class Own(DPOTrainer): pass\nOwn().get_batch_logps\n",
                        "DPOTrainer of the installed trl has no get_batch_logps: define it in the "
                        "script's class, or install the release of trl that the script was written "
                        "for", ""),
    "a name": ("total = 1\ntotals\n", "write total", ""),
    "an import": ("from json import dumbs\n", "write dumps", ""),
    "an assertion": ("n = 3\nassert n % 2 == 0, 'even'\n",
                     "make n % 2 == 0 true, or take the assertion out", "n is 3"),
    "a key that a map removes": (
        'row = {"x": 1}\ndef lose(rows):\n    return rows.map(len, remove_columns=["answer"])\n'
        'row["answer"]\n', "keep this key: the map of line 3 removes it "
        "(remove_columns=['answer'])", "the keys of row: x"),
    "a key in a map that is at work": (
        'class Rows:\n    def map(self, f, remove_columns):\n        return f({"x": 1})\n'
        'Rows().map(lambda row: row["answer"], remove_columns=["answer"])\n',
        "name a key that row has, or make this one before the line", "the keys of row: x"),
    "a key that is renamed": (
        'row = {"y": 1}\ndef f(rows):\n    return rows.rename_column("answer", "y")\n'
        'row["answer"]\n', "keep this key: line 3 renames it to 'y'", "the keys of row: y"),
    "a key in a function of others": (
        "import string\nstring.Template('$a').substitute({'b': 1})\n",
        "name a key that mapping has, or make this one before the line", "the keys of mapping: b"),
    "an attribute of None": ("class T: model = None\nt = T()\nt.model.config\n",
                             "t.model is None here: give it a value before this line",
                             "t.model is None"),
    "an item of None": ("rows = None\nrows[0]\n",
                        "rows is None here: give it a value before this line", "rows is None"),
    "None in a loop": ("rows = None\nfor row in rows:\n    pass\n",
                       "rows is None here: give it a value before this line", "rows is None"),
    "None that is called": ("act = None\nact(1)\n",
                            "act is None here: give it a value before this line", "act is None"),
    "an attribute of a dictionary": ("row = {'text': 1}\nrow.text\n", "write row['text']",
                                     "row is a dict with the keys text"),
    "an attribute of a list": ("rows = [1, 2]\nrows.shape\n", "",
                               "rows is a list with 2 items of int"),
    "an argument": (BUILD + "build(learning_rate=2)\n", "give the arguments that are missing",
                    "it takes model, learning_rate"),
    "an index": ("rows = [1, 2]\nrows[3]\n", "", "rows has 2 items"),
    "nothing": ("int('x')\n", "", ""),
}  # fmt: skip


def judged(script: Path, **about: Any) -> Failure:
    """The report of the error that a script raises."""
    try:
        runpy.run_path(str(script))
    except Exception as error:
        event: Event = {"kind": "failed", "stage": "script", "rank": 0, "time": 1.0,
                        **failing(error)}  # fmt: skip
    folder = script.parent
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(folder), ()))  # fmt: skip
    failed = failure(Events((event,), answer, folder, folder, given="train.py", bare=True, **about))
    assert failed is not None
    return failed


def script(folder: Path, text: str) -> Path:
    """A script in a folder of its own."""
    file = folder / "train.py"
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_names_what_is_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "rows_library.py").write_text(ROWS)
    monkeypatch.syspath_prepend(str(library))
    text, remedy, evidence = CASES[name]
    verdicts = judged(script(tmp_path, text))
    assert (verdicts.whose, verdicts.remedy, verdicts.seen) == (
        "script",
        remedy,
        (evidence,) if evidence else (),
    )


def test_a_file_is_looked_for_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts.jsonl").write_text("")
    verdicts = judged(script(tmp_path, "open('prompt.jsonl')\n"))
    assert verdicts.remedy == "name prompts.jsonl, which is there"
    verdicts = judged(script(tmp_path, "open('data/x.json')\n"))
    assert verdicts.seen == (f"looked for at {tmp_path}/data/x.json: {tmp_path} has no data",)
    assert verdicts.remedy.startswith(f"put it at {tmp_path}/data/x.json")


@pytest.mark.parametrize(
    "text",
    [
        "with open('out/x/a.json', 'w') as f:\n    pass\n",
        "from pathlib import Path\nPath('out/x/a.json').write_text('')\n",
        "from pathlib import Path\nMODE = 'wb'\nPath('out/x/a.json').open(mode=MODE)\n",
    ],
)
def test_a_file_that_is_written_needs_its_folder(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    verdicts = judged(script(tmp_path, text))
    assert verdicts.remedy == 'make the folder first: os.makedirs("out/x", exist_ok=True)'
    assert verdicts.seen[0].endswith(f"{tmp_path}/out has no folder x")


READS = "import os\nos.environ['A_NAME']\nos.environ['B_NAME']\nos.environ['C'] = '1'\n" + (
    "os.environ['C']\n"
)


@pytest.mark.parametrize(
    "text, names",
    [
        (READS, "A_NAME=… B_NAME=…"),
        ("import os\nint(os.environ.get('A_NAME'))\n", "A_NAME=…"),
        ("import os\nos.environ['X_Y'] = os.getenv('A_NAME')\n", "A_NAME=…"),
    ],
)
def test_a_variable_that_is_not_set_is_missing_here(
    text: str, names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("A_NAME", "B_NAME"):
        monkeypatch.delenv(name, raising=False)
    verdicts = judged(script(tmp_path, text))
    assert (verdicts.whose, verdicts.kind, verdicts.at and verdicts.at.line) == (
        "machine",
        "variable",
        2,
    )
    assert verdicts.remedy == f"set what the job has: {names} trl-doctor rehearse train.py"
    named = judged(script(tmp_path, text), python="/my env")
    assert named.remedy.endswith("trl-doctor rehearse --python '/my env' train.py")


def test_a_launcher_sets_the_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    verdicts = judged(script(tmp_path, "import os\nrank = int(os.environ['LOCAL_RANK'])\n"))
    assert verdicts.remedy.endswith("trl-doctor rehearse -- torchrun --nproc_per_node 2 train.py")


def test_a_key_of_another_mapping_is_no_variable(tmp_path: Path) -> None:
    verdicts = judged(script(tmp_path, f"import os\n{{}}['{os.sep}']\n"))
    assert (verdicts.whose, verdicts.kind) == ("script", "KeyError")


def test_a_package_that_a_lazy_import_lacks_is_named(tmp_path: Path) -> None:
    text = (
        "try:\n    import no_such_package\nexcept ImportError as error:\n"
        "    raise RuntimeError('Failed to import trl.trainer: look up') from error\n"
    )
    assert judged(script(tmp_path, text)).remedy == "pip install no_such_package"


def test_all_packages_that_are_not_here_are_named(tmp_path: Path) -> None:
    verdicts = judged(script(tmp_path, "import no_such_a, json\nfrom no_such_b.c import d\n"))
    assert verdicts.message == "the packages no_such_a and no_such_b are not installed"
    assert verdicts.remedy == "pip install no_such_a no_such_b"


@pytest.mark.parametrize(
    "text, ends, least",
    [
        ("assert torch.cuda.is_available()\n", True, 1),
        ("if not torch.cuda.is_available():\n    raise ValueError\n", True, 1),
        ("if torch.cuda.device_count() < 4:\n    print()\n    sys.exit(1)\n", True, 4),
        ("assert torch.cuda.device_count() > 1\n", True, 2),
        ("if torch.cuda.is_available():\n    model.cuda()\n", False, 1),
        ("device = torch.cuda.is_available()\n", False, 1),
    ],
)
def test_where_a_script_ends_without_a_gpu(
    text: str, ends: bool, least: int, tmp_path: Path
) -> None:
    at = (str(script(tmp_path, text)), 1)
    assert (demanded.demanded(at), demanded.number(at)) == (ends, least)
