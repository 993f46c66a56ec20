"""Notebooks whose training is a shell line: what to name instead; files that cells write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.files.source.notebooks.started import elsewhere, files_of
from trl_doctor.files.source.text import Piece


def cells(*texts: str) -> list[Piece]:
    return [Piece(Path("t.ipynb"), text, index, index + 1) for index, text in enumerate(texts)]


@pytest.mark.parametrize(
    "texts, says",
    [
        (("!pip install trl", "x = 1\n!python train.py --x 1"),
         "cell 2, line 2 starts `python train.py --x 1`: name it: "
         "trl-doctor rehearse -- python train.py --x 1"),
        (("%run train.py",),
         "cell 1, line 1 starts `python train.py`: name it: "
         "trl-doctor rehearse -- python train.py"),
        (("%%bash\naccelerate launch \\\n  t.py",),
         "cell 1, line 2 starts `accelerate launch t.py`: name it: "
         "trl-doctor rehearse -- accelerate launch t.py"),
        (("%%writefile t.py\nimport trl", "!python t.py"),
         "cell 2, line 1 starts `python t.py`: name it once t.py is saved as a file: "
         "trl-doctor rehearse -- python t.py"),
        (("!cat train.py\n!nvidia-smi", "%matplotlib inline\ntrain('a.py')"), ""),
    ],
)  # fmt: skip
def test_a_line_that_starts_the_training(texts: tuple[str, ...], says: str) -> None:
    assert elsewhere(cells(*texts)) == says


def test_a_script_is_no_notebook() -> None:
    assert elsewhere([Piece(Path("t.py"), "!python train.py")]) == ""


def test_files_that_cells_write() -> None:
    files = files_of(cells("%%writefile a.py\nx = 1", "%%writefile -a a.py\ny = 2\n",
                           "%%writefile ../b.py\nz", "%%bash\nls"))  # fmt: skip
    assert files == {"a.py": "x = 1\ny = 2\n"}


SCRIPT = """%%writefile train.py
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=1e-5)
rate = parser.parse_args().rate
args = SFTConfig('out',
                 max_seq_length=5, learning_rate=rate)
SFTTrainer('./m', args=args).train()
"""


def notebook(*texts: str) -> str:
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(True)}
            for text in texts]  # fmt: skip
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@pytest.mark.parametrize("start", ["accelerate launch --num_processes 2", "python", "torchrun"])
def test_a_script_that_a_cell_writes_and_another_starts(
    start: str,
) -> None:
    text = notebook("!pip install trl", SCRIPT, f"!{start} train.py --rate 2.0")
    Path("a.ipynb").write_text(text)
    options = ["check", "a.ipynb", "--with", "trl==1.16.0", "--with", "transformers==5.23.0"]
    output = CliRunner().invoke(main, [*options, "-o", "concise"]).output
    assert "a.ipynb:cell 2:8:18: error argument-gone-from-trl" in output
    column = len(f"!{start} train.py ") + 1
    assert f"a.ipynb:cell 3:1:{column}: warning argument-learning-rate-too-large" in output
    assert "repaired: rename" in CliRunner().invoke(main, [*options, "--fix"]).output
    assert Path("a.ipynb").read_text() == text.replace("max_seq_length", "max_length")


OPTIONS = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")


def check(name: str, *words: str) -> str:
    return CliRunner().invoke(main, ["check", name, *OPTIONS, *words]).output


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_notebook_that_makes_a_trainer_itself_is_read_with_what_it_starts() -> None:
    own = "from trl import DPOTrainer\nDPOTrainer('./m', margin=2)"
    Path("a.ipynb").write_text(notebook(SCRIPT, own, "!python train.py"))
    output = check("a.ipynb", "-o", "concise")
    assert "a.ipynb:cell 2:2:19: error constructor-argument-gone-from-trl" in output
    assert "a.ipynb:cell 1:8:18: error argument-gone-from-trl" in output


BESIDE = SCRIPT.partition("\n")[2]
RATES = [
    (("RATE = 2.0", "!python beside.py --rate {RATE}"), "learning_rate is 2:"),
    (("RATE = 2.0", "!python beside.py --rate $RATE"), "learning_rate is 2:"),
    (("class C:\n    rate = 3.0", "%%time\nout = !torchrun beside.py --rate {C.rate}"), "is 3:"),
    (("%run beside.py --rate 4.0",), "learning_rate is 4:"),
    (("RATE = 9", "%%bash\nRATE=5.0\n# a\npython beside.py \\\n  --rate $RATE\n"), "is 5:"),
    (("%env RATE=6.0", "!python beside.py --rate $RATE"), "learning_rate is 6:"),
    (("import os\nos.environ['RATE'] = '7.0'", "!python beside.py --rate $RATE"), "is 7:"),
    (("import subprocess as s\ns.run(['python', 'beside.py', '--rate', '8.0'])",), "is 8:"),
    (("%sh\npython beside.py --rate 1.5",), "is 1.5:"),
]


@pytest.mark.parametrize("texts, says", RATES)
def test_a_script_beside_gets_the_words_of_the_cell(texts: tuple[str, ...], says: str) -> None:
    Path("beside.py").write_text(BESIDE)
    Path("a.ipynb").write_text(notebook(*texts))
    assert says in check("a.ipynb")


FOLDERS = [
    ("%cd app\n!python beside.py --rate 2.0",),
    ("import os\nos.chdir('app')", "!ls\n!python beside.py --rate 2.0\n%cd ..\n!cd elsewhere"),
    ("!git clone https://example.org/app\n%cd /content/app", "!python beside.py --rate 2.0"),
    ("!cd app && python beside.py --rate 2.0",),
]


@pytest.mark.parametrize("texts", FOLDERS)
def test_a_script_in_the_folder_that_a_notebook_goes_to(texts: tuple[str, ...]) -> None:
    Path("app").mkdir()
    Path("app/beside.py").write_text(BESIDE)
    Path("a.ipynb").write_text(notebook(*texts))
    assert "app/beside.py" in check("a.ipynb") and "learning_rate is 2:" in check("a.ipynb")


@pytest.mark.parametrize(
    "texts",
    [
        ("RATE = 2.0", "RATE = 1e-5", "!python beside.py --rate {RATE}"),
        ("for rate in rates:\n    !python beside.py --rate {rate}",),
        ("RATE = f()", "!python beside.py --rate $RATE"),
    ],
)
def test_what_python_gives_in_several_ways_is_not_known(texts: tuple[str, ...]) -> None:
    Path("beside.py").write_text(BESIDE)
    Path("a.ipynb").write_text(notebook(*texts))
    output = check("a.ipynb")
    assert "learning_rate is not known" in output and "learning_rate is 2" not in output


@pytest.mark.parametrize(
    "text",
    ["%%script false\npython beside.py", "x = 1\n'''\n!python beside.py\n'''",
     "%%html\n!python beside.py", "# !python beside.py", "!cat beside.py"],
)  # fmt: skip
def test_lines_that_start_nothing(text: str) -> None:
    Path("beside.py").write_text(BESIDE)
    Path("a.ipynb").write_text(notebook(text))
    assert "creates no trainer of TRL" in check("a.ipynb")


def test_an_option_of_a_cell_has_its_place_and_its_repair() -> None:
    Path("beside.py").write_text(BESIDE)
    text = notebook("x = 1", "x\n!python \\\n  beside.py --ratte 1e-5")
    Path("a.ipynb").write_text(text)
    assert "a.ipynb:cell 2:3:13: error argument-refused-by-parser" in check(
        "a.ipynb", "-o", "concise"
    )
    check("a.ipynb", "--fix", "--unsafe-fixes")
    assert Path("a.ipynb").read_text() == text.replace("--ratte", "--rate")


@pytest.mark.parametrize("one", [False, True])
def test_a_run_file_that_a_cell_writes(one: bool) -> None:
    run = "%%writefile run.yaml\nmodel_name_or_path: ./m\noutput_dir: out\nlearning_rate: 5.0\n"
    cells = json.loads(notebook(run, "!trl sft --config run.yaml --beta 3"))
    for cell in cells["cells"] if one else ():
        cell["source"] = "".join(cell["source"])
    Path("a.ipynb").write_text(json.dumps(cells))
    output = check("a.ipynb", "-o", "concise")
    assert "a.ipynb:cell 1:4:1: warning argument-learning-rate-too-large" in output
    assert "a.ipynb:cell 2:1:28: error argument-unknown" in output


def test_a_module_and_a_config_that_cells_write() -> None:
    script = (
        "%%writefile train.py\nfrom trl import SFTConfig, SFTTrainer, TrlParser, ModelConfig\n"
        "from limits import LIMIT\nargs, model = TrlParser((SFTConfig, ModelConfig))"
        ".parse_args_and_config()\nargs.max_length = LIMIT\n"
        "SFTTrainer(model.model_name_or_path, args=args).train()\n"
    )
    run = "%%writefile run.yaml\nmodel_name_or_path: ./m\nlearning_rate: 5.0\n"
    module = "%%writefile limits.py\nLIMIT = 'long'\n"
    line = "!accelerate launch train.py --config run.yaml"
    Path("a.ipynb").write_text(notebook(module, script, run, line))
    output = check("a.ipynb", "-o", "concise")
    assert "a.ipynb:cell 3:3:1: warning argument-learning-rate-too-large" in output
    assert "max_length is 'long', but must be a number" in output


SENT = "from cloud import Job\nJob(command=['python', '/gcs/train.py']).submit()"


def test_a_script_that_a_cell_writes_for_another_machine() -> None:
    Path("a.ipynb").write_text(notebook(SCRIPT, "!gcloud storage cp train.py $BUCKET", SENT))
    assert "a.ipynb:cell 1:8:18: error argument-gone-from-trl" in check("a.ipynb", "-o", "concise")


@pytest.mark.parametrize("text", ["import train", "from train import args"])
def test_a_module_that_a_cell_writes_and_another_imports(text: str) -> None:
    Path("a.ipynb").write_text(notebook(SCRIPT, text))
    assert "a notebook, cell 1" not in check("a.ipynb")
