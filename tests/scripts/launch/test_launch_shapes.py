"""Shapes of launch files and of scripts that a launcher calls into."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.files.launch import dockerfile, forms, reading
from trl_doctor.files.source.reading import read_source
from trl_doctor.files.source.values import Plain
from trl_doctor.rehearsing.command.launch_file import local_command

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


OPERATORS = {
    "PyTorchJob": (
        "{nprocPerNode: '4', pytorchReplicaSpecs: {Master: {replicas: 1, template: POD}, "
        "Worker: {replicas: 3, template: POD}}}",
        16,
    ),
    "TrainJob": ("{trainer: {numNodes: 2, numProcPerNode: 3, command: COMMAND}}", 6),
    "Job": ("{template: POD}", 1),
}
POD = "{spec: {containers: [{name: t, command: COMMAND}]}}"


@pytest.mark.parametrize("kind", OPERATORS)
@pytest.mark.parametrize("nodes", ["", "numNodes: 2, "])
def test_processes_of_an_operator(kind: str, nodes: str, tmp_path: Path) -> None:
    spec, processes = OPERATORS[kind]
    known = bool(nodes) or kind != "TrainJob"
    spec = spec.replace("numNodes: 2, ", nodes).replace("POD", POD)
    text = f"apiVersion: x/v1\nkind: {kind}\nspec: {spec}\n"
    path = tmp_path / "job.yaml"
    text = text.replace("COMMAND", "[torchrun, train.py, --model, ./m]")
    (launch,) = reading.read_launches(path, text.encode(), "a Kubernetes file")
    assert launch.processes == (processes if known else None)


def test_comments_and_here_documents_are_parts_of_an_instruction() -> None:
    text = """FROM python:3.12 AS base
RUN pip install \\
    # the trainer
    trl \\

    peft
RUN <<END
from nothing
END
cmd ["python", "train.py"]
"""
    found = [(one.name, one.argument.split(), one.line) for one in dockerfile.instructions(text)]
    assert found == [
        ("FROM", ["python:3.12", "AS", "base"], 1),
        ("RUN", ["pip", "install", "trl", "peft"], 2),
        ("RUN", ["<<END", "from", "nothing", "END"], 7),
        ("CMD", ['["python",', '"train.py"]'], 10),
    ]
    (launch,) = dockerfile.in_dockerfile(text)
    assert launch.script == "train.py"


def test_the_stages_of_a_dockerfile(tmp_path: Path) -> None:
    stage = 'FROM x AS {0}\nENTRYPOINT ["python", "{0}.py"]\nCMD ["--a", "{0}"]\n'
    text = "".join(stage.format(name) for name in ("sft", "dpo"))
    launches = reading.read_launches(tmp_path / "Dockerfile", text.encode(), "a Dockerfile")
    started = [(launch.line, launch.script, launch.words[-1].text) for launch in launches]
    assert started == [(2, "sft.py", "sft"), (5, "dpo.py", "dpo")]


def test_a_wrapped_command_has_the_resources_of_its_options(tmp_path: Path) -> None:
    text = 'sbatch -N 2 --gpus-per-node=h100:4 --wrap "torchrun --nproc_per_node gpu a.py"\n'
    (launch,) = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
    assert (launch.cluster.nodes, launch.cluster.gpu, launch.processes) == (2, "h100", 4)


JOB = """#!/bin/bash
#SBATCH --array=1-3
RATES=(1e-6 2e-6 "5e-6")
python train.py --model ./m --lr ${RATES[$SLURM_ARRAY_TASK_ID]} --first ${RATES[0]} ${RATES[$N]}
"""


def test_one_word_of_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(JOB.replace(" ${RATES[$N]}", ""))
    launches = reading.read_launches(path, JOB.encode(), "a Slurm script")
    assert [[word.text for word in launch.words[3:-1]] for launch in launches] == [
        ["2e-6", "--first", "1e-6"], ["5e-6", "--first", "1e-6"], ["--first", "1e-6"]
    ]  # fmt: skip
    assert [launch.lacking for launch in launches] == [(), (), (("RATES", 3, 3),)]
    assert launches[0].shown == "line 4 (SLURM_ARRAY_TASK_ID=1)"
    assert all(launch.words[-1].open for launch in launches)
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    started = local_command([str(path)], {}, None)
    assert started is not None and started.words[-4:] == ("--lr", "2e-6", "--first", "1e-6")
    started = local_command([str(path)], {"SLURM_ARRAY_TASK_ID": "2"}, None)
    assert started is not None and started.words[-3] == "5e-6"


@pytest.mark.parametrize(
    ("earlier", "words"),
    [("ARGS=(--a 1)", ["--a", "1", "--b", "x y"]), ("", ["--b", "x y"]), ("ARGS=$(a)", [""])],
)
def test_words_that_are_added_to_an_array(tmp_path: Path, earlier: str, words: list[str]) -> None:
    text = f"{earlier}\nARGS+=(--b 'x y')\npython train.py \"${{ARGS[@]}}\"\n"
    (launch,) = reading.read_launches(tmp_path / "a.sh", text.encode(), "a shell script")
    assert [word.text for word in launch.words] == words
    assert bool(launch.words[0].open) == ("$(" in earlier)
    assert launch.line == 3
    assert [word.line for word in launch.words if word.text == "--b"] in ([2], [])


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
    rate = config.keywords["learning_rate"].value
    assert (rate.value if isinstance(rate, Plain) else None) == (
        1e-5 if name != "nothing" else None
    )
