"""The parts of a rehearsal that need no libraries: patches, other notebooks' modules, waiting."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from trl_doctor.core.question import Answer, Question
from trl_doctor.files.formats.text import Invalid
from trl_doctor.files.source.text import Piece
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal import patching
from trl_doctor.probes.rehearsal.errors import stacks
from trl_doctor.probes.rehearsal.rows.made_up import columns as usage
from trl_doctor.probes.rehearsal.rows.made_up.rows import made
from trl_doctor.probes.rehearsal.rows.made_up.shapes import shapes
from trl_doctor.probes.rehearsal.trainers import configs, stopping
from trl_doctor.probes.rehearsal.writes.mirror import surrounded
from trl_doctor.probes.rehearsal.writes.notebooks import Notebooks
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.command.command import Command
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.events import Event, Events, read_events
from trl_doctor.rehearsing.process_count import processes_from

BARRIER = (
    "Timeout (0:00:05)!\nThread 0x01 (most recent call first):\n"
    '  File "/x/torch/distributed/distributed_c10d.py", line 1 in barrier\n'
    '  File "{folder}/train.py", line {line} in <module>\n'
)
MOVING = 'Timeout (0:00:05)!\nThread 0x01 (most recent call first):\n  File "a.py", line {n} in f\n'


@pytest.fixture
def rehearsing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(patching, "_running", True)
    yield


class Library:
    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *more: Any, **options: Any) -> Any:
        return pretrained_model_name_or_path, options

    def save_pretrained(self, save_directory: Any, safe: bool = True) -> Any:
        return save_directory, safe


@pytest.mark.usefixtures("rehearsing")
def test_what_is_named_by_the_librarys_own_keyword_arrives() -> None:
    class Mine(Library):
        from_pretrained = classmethod(Library.from_pretrained.__func__)  # type: ignore[attr-defined]
        save_pretrained = Library.save_pretrained

    def load(original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        return original(cls, f"small {name}", *args, **more)

    def save(original: Any, model: Any, folder: Any = None, *args: Any, **more: Any) -> Any:
        return original(model, f"moved {folder}", *args, **more)

    patching.around(Mine, "from_pretrained", load)
    patching.around(Mine, "save_pretrained", save)
    result = Mine.from_pretrained(pretrained_model_name_or_path="m", dtype="auto")
    assert result == ("small m", {"dtype": "auto"})
    assert Mine().save_pretrained(safe=False, save_directory="out") == ("moved out", False)
    assert Mine().save_pretrained("out") == ("moved out", True)


def test_colabs_modules_do_nothing_where_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    entries: list[str] = []
    record: Any = SimpleNamespace(add=lambda kind, **about: entries.append(about["name"]))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Notebooks(record)])
    for name in ("google.colab", "google.colab.userdata", "google.colab.drive", "kaggle_secrets"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert isinstance(importlib.import_module("google.colab.userdata").get("HF_TOKEN"), str)
    importlib.import_module("google.colab.drive").mount("/content/drive")
    secrets = importlib.import_module("kaggle_secrets").UserSecretsClient()
    assert isinstance(secrets.get_secret("HF_TOKEN"), str)
    assert entries == ["google.colab", "kaggle_secrets"]
    with pytest.raises(ModuleNotFoundError, match=r"no_such_thing"):
        importlib.import_module("no_such_thing")


@pytest.mark.usefixtures("rehearsing")
def test_a_config_class_of_the_scripts_own_is_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    @dataclasses.dataclass
    class Arguments:
        output_dir: str = "out"
        learning_rate: float = 1e-5
        bf16: bool = False

        def __post_init__(self) -> None:
            if self.bf16:
                raise ValueError("Your setup doesn't support bf16/gpu")

    record: Any = SimpleNamespace(add=lambda *args, **about: None)
    order: Any = SimpleNamespace(
        scratch=Path("scratch"), steps=2, wide=False, users=lambda path: path
    )
    configs.Configs(order, record).act(SimpleNamespace(Arguments=Arguments))  # type: ignore[arg-type]

    @dataclasses.dataclass
    class Own(Arguments):
        extra: int = 1

    config = Own(output_dir="mine", bf16=True, extra=3)
    assert (config.bf16, config.extra) == (False, 3)
    assert config.output_dir.startswith("scratch/") and config.output_dir.endswith("/mine")


def write_record(records: Path, rank: int, looks: str, *, world: int = 2, ended: str = "") -> None:
    (records / f"stack-{rank}-{world}-1{rank}{ended}.txt").write_text("")
    (records / f"look-{rank}-{world}-1{rank}.txt").write_text(looks)


def test_processes_that_all_wait_are_stuck(tmp_path: Path) -> None:
    barrier = BARRIER.format(folder=tmp_path, line=3)
    write_record(tmp_path, 0, barrier * stacks.LOOKS)
    assert not stacks.stuck(tmp_path), "the other one has not begun"
    write_record(tmp_path, 1, "".join(MOVING.format(n=n) for n in range(9)))
    assert not stacks.stuck(tmp_path), "the other one moves"
    write_record(tmp_path, 1, barrier * (stacks.LOOKS - 1))
    assert not stacks.stuck(tmp_path), "not long enough"
    write_record(tmp_path, 1, barrier * stacks.LOOKS)
    write_record(tmp_path, 0, "", world=1)  # a launcher
    assert stacks.stuck(tmp_path)
    (tmp_path / "stack-1-2-11.txt").unlink()
    write_record(tmp_path, 1, "", ended=stacks.ENDED)
    assert stacks.stuck(tmp_path), "it waits for one that has ended"


def test_a_process_that_others_wait_for(tmp_path: Path) -> None:
    barrier = BARRIER.format(folder=tmp_path, line=3)
    moving = "".join(MOVING.format(n=n) for n in range(stacks.HELD))
    write_record(tmp_path, 0, barrier * (stacks.HELD - 1))
    write_record(tmp_path, 1, moving)
    assert not stacks.held_up(tmp_path), "not long enough"
    write_record(tmp_path, 0, barrier * stacks.HELD)
    assert stacks.held_up(tmp_path)
    assert not stacks.stuck(tmp_path)
    write_record(tmp_path, 1, barrier * stacks.HELD)
    assert not stacks.held_up(tmp_path), "all wait"


def test_one_process_is_never_stuck(tmp_path: Path) -> None:
    write_record(tmp_path, 0, BARRIER.format(folder=tmp_path, line=3) * 9, world=1)
    assert not stacks.stuck(tmp_path)


def ended(events: list[Event], folder: Path, *, late: bool = False) -> Events:
    question = Question("rehearse", "the rehearsal", {}, RehearseAnswer)
    value = RehearseAnswer(1, late, 1, str(folder), ())
    answer = Answer(question, "answered", value)
    return Events(tuple(events), answer, folder, folder, stacks.latest(folder))


def test_a_process_that_waits_for_an_ended_one_is_reported(tmp_path: Path) -> None:
    write_record(tmp_path, 0, "", ended=stacks.ENDED)
    write_record(tmp_path, 1, "", ended=stacks.ENDED)
    lost: Event = {
        "kind": "failed", "rank": 0, "stage": "script", "type": "RuntimeError",
        "message": "[gloo/pair.cc:553] Connection closed by peer",
        "frames": [[str(tmp_path / "train.py"), 8]], "at": None, "file": None, "line": None,
    }  # fmt: skip
    failed = failure(ended([lost], tmp_path))
    assert failed is not None
    assert (failed.kind, failed.at) == ("hang", CodeLine(tmp_path / "train.py", 8))
    assert failed.message.endswith("rank 0 at train.py:8; rank 1 has ended")


def test_waiting_processes_are_reported(tmp_path: Path) -> None:
    write_record(tmp_path, 0, BARRIER.format(folder=tmp_path, line=3) * stacks.HELD)
    write_record(tmp_path, 1, "".join(MOVING.format(n=n) for n in range(stacks.HELD)))
    failed = failure(ended([], tmp_path, late=True))
    assert failed is not None
    assert (failed.whose, failed.kind) == ("machine", "held up")
    waited = "rank 0 has waited for a minute for rank 1: rank 0 at train.py:3"
    assert failed.message.startswith(waited)


def test_a_process_that_stays_at_one_line_while_others_wait_is_a_hang(tmp_path: Path) -> None:
    write_record(tmp_path, 0, BARRIER.format(folder=tmp_path, line=3) * stacks.HELD)
    write_record(tmp_path, 1, MOVING.format(n=1) * stacks.HELD)
    failed = failure(ended([], tmp_path, late=True))
    assert failed is not None
    assert (failed.whose, failed.kind) == ("candidate", "hang")
    assert failed.message.startswith("rank 0 waits for rank 1, which does not go on: ")


def test_a_model_without_a_name_is_reported(tmp_path: Path) -> None:
    at = [str(tmp_path / "train.py"), 3]
    event = {**missing("x", tmp_path / "train.py"), "type": "OSError", "message": "no connection"}
    failed = failure(ended([{"kind": "nameless", "rank": 0, "at": at}, event], tmp_path))
    assert failed is not None
    assert (failed.kind, failed.at) == ("nameless", CodeLine(tmp_path / "train.py", 3))


def test_a_missing_script_is_reported(tmp_path: Path) -> None:
    line = f"python: can't open file '{tmp_path}/gone.py': [Errno 2] No such file or directory"
    silent = ended([], tmp_path)
    failed = failure(replace(silent, answer=replace(silent.answer, tail=(line,))))
    assert failed is not None
    assert failed.message == f"there is no file {tmp_path}/gone.py"


def missing(name: str, file: Path) -> Event:
    return {
        "kind": "failed", "rank": 0, "stage": "script", "type": "ModuleNotFoundError",
        "message": f"No module named '{name}'", "frames": [[str(file), 3]], "at": None,
        "file": None, "line": None,
    }  # fmt: skip


def test_a_module_of_the_users_own_is_found_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "src/train").mkdir(parents=True)
    (tmp_path / "src/data.py").write_text("")
    (tmp_path / "src/train/grpo.py").write_text("\n\nfrom src.data import rows\n")
    folder = tmp_path / "src/train"
    failed = failure(ended([missing("src", folder / "grpo.py")], folder))
    assert failed is not None and failed.whose == "script"
    assert failed.remedy.endswith("python -m src.train.grpo")
    (folder / "grpo.py").write_text("\n\nfrom src.train.parts import step\n")
    (folder / "parts").mkdir()
    failed = failure(ended([missing("src", folder / "grpo.py")], folder))
    assert failed is not None and failed.kind == "own module"
    failed = failure(ended([missing("google.cloud", folder / "grpo.py")], folder))
    assert failed is not None
    assert failed.message == "the module google.cloud is not installed"


def test_a_package_that_the_script_names_is_reported(tmp_path: Path) -> None:
    script = '# /// script\n# dependencies = ["trl", "Human_ize>=4"]\n# ///\nimport human_ize\n'
    (tmp_path / "train.py").write_text(script)
    event = missing("human_ize", tmp_path / "train.py")
    failed = failure(ended([event], tmp_path))
    assert failed is not None and failed.whose == "machine"
    assert "metadata names it (line 2), and a rehearsal installs nothing" in failed.message
    (tmp_path / "train.py").write_text("import human_ize\n")
    failed = failure(ended([event], tmp_path))
    assert failed is not None and failed.message == "the package human_ize is not installed"


def test_a_package_is_named_as_pip_installs_it(tmp_path: Path) -> None:
    for message, remedy in (
        ("No module named 'hydra'", "pip install hydra-core"),
        ("vLLM is required. Install it with: pip install 'vllm>=0.22.0'", "pip install vllm"),
        ("this needs more: `pip install trl[openreward]`", "pip install 'trl[openreward]'"),
    ):
        kind = "ModuleNotFoundError" if "module" in message else "ImportError"
        event = {**missing("x", tmp_path / "train.py"), "message": message, "type": kind}
        failed = failure(ended([event], tmp_path))
        assert failed is not None and (failed.kind, failed.remedy) == ("package", remedy)


def test_a_line_for_notebooks_is_reported_in_a_script(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import trl\n\n!pip install trl\n")
    event = {**missing("x", script), "type": "SyntaxError", "message": "invalid syntax",
             "frames": [], "file": str(script), "line": 3}  # fmt: skip
    failed = failure(ended([event], tmp_path))
    assert failed is not None and failed.remedy == "comment it out, or name the notebook"
    with pytest.raises(Invalid, match="line 3 is for a notebook only: comment it out"):
        Piece(script, script.read_text()).parsed()


def test_a_module_beside_the_scripts_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tools/core").mkdir(parents=True)
    (tmp_path / "tools/core/talk.py").write_text("")
    folder = tmp_path / "dpo"
    folder.mkdir()
    (folder / "train.py").write_text("\n\nfrom core.talk import Generation\n")
    failed = failure(ended([missing("core", folder / "train.py")], folder))
    assert failed is not None and failed.whose == "machine"
    assert failed.remedy.endswith("tools before the command")


def test_what_lies_around_the_working_folder_is_found_from_its_copy(tmp_path: Path) -> None:
    own = tmp_path / "project/src/train"
    own.mkdir(parents=True)
    (tmp_path / "project/data").mkdir()
    (tmp_path / "project/data/rows.json").write_text("[]")
    (own / "train.py").write_text("pass")
    (tmp_path / "project/src/model.py").write_text("pass")
    copy = surrounded(own, tmp_path / "one", own)
    assert copy == tmp_path / "one/train" and (copy / "../model.py").read_text() == "pass"
    (tmp_path / "project/.git").mkdir()
    copy = surrounded(own, tmp_path / "two", own)
    assert (copy / "../../data/rows.json").resolve() == tmp_path / "two/data/rows.json"
    began = {"kind": "started", "rank": 0, "time": 1.0, "root": str(tmp_path / "two"),
             "folder": str(copy)}  # fmt: skip
    frames = [[str(copy / "../model.py"), 1]]
    lost = {**missing("x", own), "time": 2.0, "type": "FileNotFoundError",
            "message": f"no {copy}/../rows.json", "frames": frames}  # fmt: skip
    (tmp_path / "records").mkdir()
    lines = "\n".join(map(json.dumps, (began, lost)))
    (tmp_path / "records/record-1.jsonl").write_text(lines)
    events = read_events(tmp_path / "records", ended([], tmp_path).answer, own)
    assert events.failure is not None
    assert events.failure["message"] == f"no {own}/../rows.json"
    assert events.own_line(lost["frames"]) == CodeLine(own / "../model.py", 1)


def test_a_folder_with_the_name_of_a_package_is_not_that_package(tmp_path: Path) -> None:
    folder = tmp_path / "examples/openenv"
    folder.mkdir(parents=True)
    (folder / "catch.py").write_text("\n\nfrom openenv.core.client import EnvClient\n")
    failed = failure(ended([missing("openenv", folder / "catch.py")], folder))
    assert failed is not None
    assert (failed.whose, failed.remedy) == ("machine", "pip install openenv")


def test_a_lost_class_of_transformers_is_reported_with_its_successor(tmp_path: Path) -> None:
    event = {
        **missing("x", tmp_path / "train.py"),
        "type": "ImportError",
        "message": "cannot import name 'AutoModelForVision2Seq' from 'transformers' (/x/y.py)",
    }
    failed = failure(ended([event], tmp_path))
    assert failed is not None
    assert (failed.whose, failed.remedy) == ("script", "use AutoModelForImageTextToText")


SEES = """
from datasets import load_dataset
from transformers import AutoModelForImageTextToText
data = load_dataset("org/pictures").map(lambda row: {"text": row["question"] + row["answer"]})
"""


def test_columns_that_a_map_removes_are_there(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("rows = rows.map(lambda row: row, remove_columns=['talks', 'problem'])\n")
    assert {"talks", "problem"} <= set(usage.columns("org/x", str(script), "GRPO"))


def test_columns_that_a_script_parses_are_json(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text('rows.map(lambda row: {"a": json.loads(row["tools"]), "b": row["more"]})\n')
    (row, _) = made(("tools", "more"), 2, usage.parsed(str(script)))
    assert row["tools"] == "[]" and row["more"]
    columns = usage.columns("org/x", str(tmp_path / "none.py"), "TPO")
    assert columns == ("prompt", "chosen", "rejected", "reference")


def test_rows_for_a_script_whose_model_sees_images_have_some(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SEES)
    script = str(tmp_path / "train.py")
    assert usage.columns("org/pictures", script) == ("images", "question", "answer")
    assert usage.columns("org/chartqa", script)[:1] == ("image",)


SHAPES = """
def chat(example):
    return {"chosen": [example["chosen"][1]], "text": example["chosen"][-1]["content"]}

def older(row):
    return [turn["value"] for turn in row["talk"]]

rows.map(lambda r: {"rejected": r["rejected"] + "<end>"})
rows.map(lambda r: r["name"].strip())

def asked(row):
    question = row["question"]
    return [{"role": "user", "content": question}, f"{row['title']}"]
"""


def test_made_rows_have_the_shape_that_the_script_takes(tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text(SHAPES)
    result = shapes(str(tmp_path / "t.py"))
    assert result == {"chosen": "talk", "talk": "older talk", "rejected": "text", "name": "text",
                    "question": "text", "title": "text"}  # fmt: skip
    row = made(("chosen", "rejected", "talk", "prompt"), 1, shapes=result)[0]
    assert [message["role"] for message in row["chosen"]] == ["user", "assistant"]
    assert [sorted(message) for message in row["talk"]] == [["from", "value"]] * 2
    assert isinstance(row["rejected"], str) and isinstance(row["prompt"], str)


@pytest.mark.parametrize(
    "words, by, says",
    [
        (("accelerate", "launch", "--num_processes", "8", "t.py"), "accelerate",
         "accelerate launch --num_processes"),
        (("torchrun", "--nproc-per-node=4", "t.py"), "torchrun", "torchrun --nproc-per-node"),
        (("accelerate", "launch", "--config_file", "z.yaml", "t.py"), "accelerate",
         "num_processes in z.yaml"),
        (("accelerate", "launch", "t.py"), "accelerate",
         "accelerate launch, which was given no number"),
    ],
)  # fmt: skip
def test_where_the_number_of_processes_stands(
    words: tuple[str, ...], by: str, says: str, tmp_path: Path
) -> None:
    events = ended([{"kind": "launch", "rank": 0, "time": 1.0, "by": by, "processes": 8}], tmp_path)
    assert processes_from(Command("", words), 2, events) == says
    of_a_file = Command("", words, processes_from="srun -n, job.sbatch:9")
    assert processes_from(of_a_file, 2, events) == "srun -n, job.sbatch:9"


@pytest.mark.usefixtures("rehearsing")
def test_a_callback_that_stops_early_sees_the_scripts_own_arguments() -> None:
    class EarlyStoppingCallback:
        def on_train_begin(self, args: Any, state: Any, control: Any) -> None:
            assert args.eval_strategy != "no"

        def on_evaluate(self, args: Any, state: Any, control: Any) -> None:
            assert args.metric_for_best_model == "loss"

    module = ModuleType("trainer_callback")
    vars(module)["EarlyStoppingCallback"] = EarlyStoppingCallback
    stopping.early(module)
    args = SimpleNamespace(
        eval_strategy="no", load_best_model_at_end=False, metric_for_best_model=None
    )
    with pytest.raises(AssertionError):
        EarlyStoppingCallback().on_train_begin(args, None, None)
    vars(args)[configs.OWN] = {"eval_strategy": "steps", "load_best_model_at_end": True}
    EarlyStoppingCallback().on_train_begin(args, None, None)
    EarlyStoppingCallback().on_evaluate(args, None, None)
    assert (args.eval_strategy, args.metric_for_best_model) == ("no", None)
