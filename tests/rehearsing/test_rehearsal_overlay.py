"""What a rehearsed script writes outside its folder, and where that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trl_doctor.probes.rehearsal.order import Order
from trl_doctor.probes.rehearsal.start import started
from trl_doctor.probes.rehearsal.writes import outputs

SCRIPT = """\
import glob, json, logging, os, pathlib, shutil
out = {outside!r}
os.makedirs(out + "/run/logs", exist_ok=True)
os.makedirs(out + "/run/logs", exist_ok=True)
with open(out + "/run/a.json", "w") as file:
    json.dump([1], file)
pathlib.Path(out, "run", "b.txt").write_text("b")
with open(out + "/own.txt", "a") as file:
    file.write(" added")
logging.FileHandler(out + "/run/logs/train.log").close()
os.rename(out + "/run/b.txt", out + "/run/c.txt")
os.chdir(out + "/run")
seen = {{
    "read": json.load(open(out + "/run/a.json")),
    "names": sorted(os.listdir(out)),
    "found": sorted(os.path.basename(one) for one in glob.glob(out + "/run/*")),
    "own": pathlib.Path(out, "own.txt").read_text(),
    "here": os.path.exists("c.txt"),
    "missing": os.path.exists(out + "/run/b.txt"),
}}
shutil.rmtree(out + "/run/logs")
seen["logs"] = os.path.isdir(out + "/run/logs")
try:
    os.remove(out + "/kept.txt")
except PermissionError as error:
    seen["removed"] = type(error).__name__
print(json.dumps(seen))
"""


def rehearsed(tmp_path: Path, text: str) -> str:
    """What a script prints that a rehearsal's shim keeps in a scratch folder."""
    scratch, records = tmp_path / "scratch", tmp_path / "scratch/records"
    for folder in (scratch / "run", scratch / "tmp", records):
        folder.mkdir(parents=True)
    order = Order(scratch, records, scratch / "run", scratch / "run", tmp_path, 0.0)
    process = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False,
        cwd=scratch / "run", env=started(order, {"PATH": "/usr/bin:/bin"}),
    )  # fmt: skip
    assert not process.returncode, process.stderr
    return process.stdout


def test_what_is_written_outside_is_in_the_scratch_folder_and_found_there(tmp_path: Path) -> None:
    outside = tmp_path / "workspace"
    outside.mkdir()
    (outside / "own.txt").write_text("mine")
    (outside / "kept.txt").write_text("mine")
    output = rehearsed(tmp_path, "import io\n" + SCRIPT.format(outside=str(outside)))
    assert output.splitlines()[-1] == (
        '{"read": [1], "names": ["kept.txt", "own.txt", "run"], "found": ["a.json", "c.txt", '
        '"logs"], "own": "mine added", "here": true, "missing": false, "logs": false, '
        '"removed": "KeptAway"}'
    )
    assert {file.name: file.read_text() for file in outside.iterdir()} == {
        "own.txt": "mine", "kept.txt": "mine"
    }  # fmt: skip


def test_a_folder_that_is_nowhere_is_made(tmp_path: Path) -> None:
    text = (
        "import os\nos.makedirs('/no-such-workspace/out')\nprint(os.listdir('/no-such-workspace'))"
    )
    assert rehearsed(tmp_path, text) == "['out']\n"
    assert not Path("/no-such-workspace").exists()


def test_functions_of_files_can_be_pickled(tmp_path: Path) -> None:
    """Data sets pickle the functions given to `map`, with what these name."""
    text = (
        "import io, os, pickle\nfrom os import listdir\n"
        "for one in (open, io.open, listdir, os.stat):\n"
        "    assert pickle.loads(pickle.dumps(one)) is one\n"
    )
    assert rehearsed(tmp_path, text) == ""


def test_a_trainer_saves_to_the_folder_that_the_script_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "scratch/run"
    work.mkdir(parents=True)
    (tmp_path / "own/full/checkpoint-9").mkdir(parents=True)
    monkeypatch.chdir(work)
    scratch = tmp_path / "scratch"
    order = Order(scratch, scratch / "records", work, work, tmp_path / "own", 0.0)
    assert outputs.folder("out/sft", order) == "out/sft"
    assert outputs.folder("/no-such-workspace/out", order).endswith("no-such-workspace/out")
    assert outputs.is_scratch(outputs.folder("/no-such-workspace/out", order), order)
    for output_dir in ("full", str(tmp_path), None):
        assert outputs.folder(output_dir, order) == str(scratch / "output")


def test_a_later_stage_finds_the_checkpoint_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "train.py"
    script.write_text("PeftModel.from_pretrained(base, 'out/checkpoint-500')\n")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    monkeypatch.chdir(tmp_path)

    def save_model(folder: str) -> None:
        Path(folder).mkdir(parents=True)
        Path(folder, "config.json").write_text("{}")

    state = SimpleNamespace(
        global_step=2, best_model_checkpoint=None, save_to_json=lambda file: None
    )
    trainer = SimpleNamespace(
        args=SimpleNamespace(output_dir="out"), state=state, save_model=save_model
    )
    outputs.checkpoint(trainer, {"save_strategy": "no"})
    assert not Path("out").exists()
    outputs.checkpoint(trainer, {"load_best_model_at_end": True})
    assert Path("out/checkpoint-500/config.json").read_text() == "{}"
    assert str(state.best_model_checkpoint) == "out/checkpoint-2"
