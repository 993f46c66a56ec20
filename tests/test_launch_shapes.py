"""Shapes of launch files and of scripts that a launcher calls into."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import forms, reading
from trl_doctor.files.source.reading import read_source
from trl_doctor.files.source.values import Plain
from trl_doctor.rehearsing.launched import launched

FILES = {
    "Dockerfile": (
        'FROM x\nARG MODEL=./m\nARG TAG\nENV NAME=${MODEL} \\\n    OUT="$TAG/out"\n'
        'CMD ["sh", "-c", "python train.py --model $NAME --out $OUT"]\n'
    ),
    "Makefile": "A = --model ./m\nall: sft\nsft: data ; python train.py $(A)\ndata:\n\ttouch x\n",
    "job.yaml": (
        "apiVersion: ray.io/v1\nkind: RayJob\nspec:\n  entrypoint: python train.py --model ./m\n"
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_launch_file(name: str, tmp_path: Path) -> None:
    path, data = tmp_path / name, FILES[name].encode()
    (launch,) = reading.read_launches(path, data, forms.form(path, data))
    assert launch.script == "train.py"
    assert [word.text for word in launch.words][:2] == ["--model", "./m"]
    opened = [word.open for word in launch.words if word.open]
    assert len(opened) == (1 if name == "Dockerfile" else 0)


JOB = """#!/bin/bash
#SBATCH --array=1-3
RATES=(1e-6 2e-6 "5e-6")
python train.py --model ./m --lr ${RATES[$SLURM_ARRAY_TASK_ID]} --first ${RATES[0]} ${RATES[$N]}
"""


def test_one_word_of_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(JOB.replace(" ${RATES[$N]}", ""))
    (launch,) = reading.read_launches(path, JOB.encode(), "a Slurm script")
    assert [(word.text, bool(word.open)) for word in launch.words[3:]] == [
        ("", True), ("--first", False), ("1e-6", False), ("", True)
    ]  # fmt: skip
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    started = launched([str(path)], {}, None)
    assert started is not None and started.words[-4:] == ("--lr", "2e-6", "--first", "1e-6")
    started = launched([str(path)], {"SLURM_ARRAY_TASK_ID": "2"}, None)
    assert started is not None and started.words[-3] == "5e-6"


TRAIN = """
from trl import SFTConfig, SFTTrainer
def train(config):
    rate = config{}
    SFTTrainer('m', args=SFTConfig('o', learning_rate=rate))
"""
STARTS = {
    "ray": ("['lr']", "from ray.train.torch import TorchTrainer\n"
            "trainer = TorchTrainer(train, train_loop_config={'lr': 1e-5})\ntrainer.fit()\n"),
    "by name": ("['lr']", "import ray.train.torch as r\n"
                "r.TorchTrainer(train_loop_per_worker=train, train_loop_config={'lr': 1e-5})\n"),
    "accelerate": ("", "from accelerate import notebook_launcher\n"
                   "notebook_launcher(train, args=(1e-5,), num_processes=2)\n"),
    "nothing": ("", "import ray\nray.train.torch.TorchTrainer(scaling_config=None)\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", STARTS)
def test_a_function_that_a_launcher_calls(name: str) -> None:
    code, start = STARTS[name]
    reading = read_source(Path("train.py"), (TRAIN.format(code) + start).encode())
    (config,) = (call for call in reading.made if call.short == "SFTConfig")
    rate = config.given["learning_rate"].value
    assert (rate.value if isinstance(rate, Plain) else None) == (
        1e-5 if name != "nothing" else None
    )
