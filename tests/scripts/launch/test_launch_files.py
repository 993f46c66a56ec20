"""Launch files: the lines that start a training, with their arguments and processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.session import Session
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files import document
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.shell.variables import Shell
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==1.16.0", "transformers==5.23.0"], installed=False)
SCRIPT = """
import argparse
from trl import SFTConfig, SFTTrainer
parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--lr", type=float, default=1e-5)
args = parser.parse_args()
SFTTrainer(model=args.model, args=SFTConfig(learning_rate=args.lr))
"""
SBATCH = """#!/bin/bash
#SBATCH --nodes=2            # two machines
#SBATCH --gres=gpu:a100:4
export MODEL=./m
COUNT=$((SLURM_NNODES * 4))
ARGS=(--lr 3e-6
  --more)
accelerate launch --num_processes $COUNT \\
    train.py --model "$MODEL" ${ARGS[@]} > log.txt 2>&1
srun bash -c "trl grpo --config run.yaml --num_generations 7 --output_dir $OUT"
torchrun --nnodes $SLURM_NNODES --nproc_per_node=gpu train.py --model $(cat name)
"""
LAUNCHER = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
WORLD_SIZE=$(($SLURM_NNODES*8))
NODELIST=($(scontrol show hostnames $SLURM_JOB_NODELIST))
MASTER_ADDR=${NODELIST[0]}
export LAUNCHER="ACCELERATE_LOG_LEVEL=info accelerate launch \\
    --main_process_ip $MASTER_ADDR \\
    --num_processes $WORLD_SIZE \\
    "
export CMD=" \\
    train.py --model ./m --lr 2e-6 $MORE \\
    "
"""
STARTED = (
    'srun --wait=60 bash -c "$LAUNCHER $CMD" 2>&1',
    "srun $LAUNCHER $CMD",
    'eval "$LAUNCHER $CMD"',
)
"""How jobs start a command that they have put together with parts that only the job knows."""

MAKEFILE = """MODEL ?= ./m
train: data
\t@echo "trl grpo"
\taccelerate launch --num_processes 4 train.py --model $(MODEL) \\
\t\t--lr 1e-6
"""
DOCKERFILE = """FROM x
ENV MODEL=./m
ENTRYPOINT ["accelerate", "launch", "--num_processes", "2"]
CMD ["train.py", "--model", "./m"]
"""
KUBERNETES = """apiVersion: batch/v1
kind: Job
spec:
  containers:
    - env: [{name: MODEL, value: ./m}]
      command: ["/bin/bash", "-c"]
      args:
        - |
          set -e
          torchrun --nproc_per_node=8 train.py --model $MODEL
"""
SKY = """resources: {accelerators: A100:8}
envs: {MODEL: ./m}
run: |
  cd somewhere
  python -m torch.distributed.run --nproc-per-node=8 train.py --model ${MODEL}
"""


def opened(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    monkeypatch.chdir(folder)
    (folder / "train.py").write_text(SCRIPT)
    (folder / "run.yaml").write_text("num_generations: 8\nbeta: 0.1\nmodel_name_or_path: m\n")
    (folder / name).write_text(text)
    options = Options(offline=True)
    session = Session((), WORLD, None, options, "error", ())  # type: ignore[arg-type]
    return [open_run(part, WORLD, options) for part in session.parts(target(name))]


def known_values(run: Run, *keys: str) -> dict[str, Any]:
    return {key: run.arguments.get(key) for key in keys}


@pytest.mark.parametrize("start", STARTED)
def test_a_command_in_variables(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = opened("job.sbatch", f"{LAUNCHER}{start}\n", tmp_path, monkeypatch)
    assert run.processes == 16
    assert known_values(run, "model_name_or_path", "learning_rate") == {
        "model_name_or_path": "./m", "learning_rate": 2e-6,
    }  # fmt: skip
    assert any("further options of the command line are not known" in note for note in run.notes)


def test_a_config_that_only_the_job_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "trl grpo --config run.yaml $MORE\ntrl grpo --config $CONFIG --beta 0.3\n"
    first, second = opened("job.sh", text, tmp_path, monkeypatch)
    assert known_values(first, "beta", "config") == {"beta": 0.1, "config": None}
    (note,) = first.notes
    assert "further options of the command line are not known" in note and "MORE" in note
    assert isinstance(second.file, document.Unreadable)
    assert "is not known" in str(second.file)


def test_a_job_of_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = opened("job.sbatch", SBATCH, tmp_path, monkeypatch)
    assert known_values(first, "model_name_or_path", "learning_rate") == {
        "model_name_or_path": "./m", "learning_rate": 3e-6,
    }  # fmt: skip
    assert (first.processes, third.processes) == (8, 8)
    assert known_values(second, "num_generations", "beta") == {"num_generations": 7, "beta": 0.1}
    assert getattr(second.trainer, "name", "") == "grpo"
    place = second.place("num_generations")
    assert (place.file.name, place.spot and place.spot.line) == ("job.sbatch", 10)
    assert second.place("beta").file.name == "run.yaml"
    with pytest.raises(Unavailable, match="a variable gives it"):
        second.arguments["output_dir"]
    assert "a command gives it" in str(third.policy)


@pytest.mark.parametrize(
    ("name", "text", "processes", "rate"),
    [
        ("Makefile", MAKEFILE, 4, 1e-6),
        ("Dockerfile", DOCKERFILE, 2, 1e-5),
        ("job.yaml", KUBERNETES, 8, 1e-5),
        ("task.yaml", SKY, 8, 1e-5),
    ],
)
def test_other_forms(
    name: str,
    text: str,
    processes: int,
    rate: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (run,) = opened(name, text, tmp_path, monkeypatch)
    assert run.processes == processes
    assert known_values(run, "model_name_or_path", "learning_rate") == {
        "model_name_or_path": "./m", "learning_rate": rate,
    }  # fmt: skip


LINE = "train.py --model ./m --lr 1e-5"


def test_a_variable_before_a_command_is_of_that_command_alone() -> None:
    text = "B=0\nA=1 B=2 python a.py\nC=3 torchrun b.py\nexport D=4\npython c.py\n"
    first, second, third = launches(text, Shell(), Cluster())
    assert dict(first.variables) == {"A": "1", "B": "2"}
    assert (dict(second.variables), dict(second.kept)["B"].text) == ({"C": "3"}, "0")
    assert dict(third.variables) == {"D": "4"}


@pytest.mark.parametrize(
    ("text", "processes"),
    [
        (f"uv run --with trl accelerate launch --num_processes 2 {LINE}", 2),
        (f"uv run --extra gpu {LINE}", 1),
        ("uv run -m train --model ./m --lr 1e-5", 1),
        (f"hf jobs uv run --flavor a100-large --timeout 4h -s HF_TOKEN --with trl {LINE}", 1),
        (f"hf jobs run --flavor l4x4 --detach org/image torchrun --nproc_per_node=4 {LINE}", 4),
        (f"conda run -n trl --no-capture-output python -u {LINE}", 1),
        (f"python -m accelerate.commands.launch --num_processes=2 {LINE}", 2),
        (f"python -m accelerate.commands.accelerate_cli launch --num_processes 2 {LINE}", 2),
        (f"python3 -u -m deepspeed.launcher.runner --num_gpus 2 {LINE}", 2),
        (f'RUN="torchrun --nproc_per_node 2"\nCMD="$RUN {LINE}"\necho "$CMD"\neval $CMD', 2),
        (f"bash -euo pipefail -c 'torchrun --nproc_per_node=2 {LINE}'", 2),
        (f"ssh worker 'cd /w && torchrun --nproc_per_node=2 {LINE}'", 2),
        (f"sbatch <<EOF\n#!/bin/bash\ntorchrun --nproc_per_node=2 {LINE}\nEOF", 2),
        (f"#SBATCH --gpus=8 -N 2\ntorchrun --nnodes 2 --nproc_per_node gpu {LINE}", 8),
        (f"srun --gpus-per-task=1 ./{LINE}", None),
        (f'HERE="$(dirname "$0")"\npython "$HERE/{LINE.replace(" ", chr(34) + " ", 1)}', 1),
        (f"python /app/{LINE}", 1),
    ],
)
def test_other_lines(
    text: str, processes: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = opened("go.sh", text + "\n", tmp_path, monkeypatch)
    assert run.processes == processes
    assert known_values(run, "model_name_or_path", "learning_rate") == {
        "model_name_or_path": "./m", "learning_rate": 1e-5,
    }  # fmt: skip


def test_variables_of_kubernetes_and_skypilot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubernetes = KUBERNETES.replace("--model $MODEL", "--model $(MODEL)")
    (run,) = opened("job.yaml", kubernetes, tmp_path, monkeypatch)
    assert known_values(run, "model_name_or_path") == {"model_name_or_path": "./m"}
    sky = SKY.replace("per-node=8", "per-node=$SKYPILOT_NUM_GPUS_PER_NODE")
    (run,) = opened("task.yaml", sky, tmp_path, monkeypatch)
    assert run.processes == 8


def test_trl_without_a_run_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "trl sft --model_name_or_path m --use_peft --lora_target_modules q v --bf16 False\n"
    (run,) = opened("go.sh", text, tmp_path, monkeypatch)
    values = known_values(run, "use_peft", "lora_target_modules", "bf16")
    assert values == {"use_peft": True, "lora_target_modules": ["q", "v"], "bf16": False}
    spot = run.place("bf16").spot
    assert spot is not None
    assert (spot.line, spot.column) == (1, text.index("--bf16") + 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo hello\n", "no line starts a training"),
        ("python other.py\n", "starts other.py, which was not found"),
        ("python below.py\n", "below.py, which was not found; src/below.py is here"),
        ("echo 'trl grpo --config x'\n# trl sft\ncat <<EOF\ntrl sft\nEOF\n", "no line starts"),
        ("trl vllm-serve --model m\n", "no line starts"),
    ],
)
def test_what_starts_nothing(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/below.py").write_text("")
    with pytest.raises(NoTarget) as refused:
        opened("go.sh", text, tmp_path, monkeypatch)
    assert why in str(refused.value)


def test_a_run_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = opened("go.sh", "trl sft --config gone.yaml\n", tmp_path, monkeypatch)
    assert isinstance(run.file, Unavailable)
    assert "gone.yaml was not found (go.sh:1" in str(run.file)


@pytest.mark.parametrize(
    "text",
    ["'", '"', "$(", "`", "a=(", "${", "$((", "<<EOF", "\\", "trl", "trl sft --", "bash -c '",
     "accelerate launch", "torchrun --nproc_per_node", "python -m", "x" * 5000, "((((", "$((1/0))"],
)  # fmt: skip
def test_broken_shell_is_read_to_its_end(text: str) -> None:
    for name in ("go.sh", "Makefile", "Dockerfile"):
        path = Path(name)
        data = f"#!/bin/sh\nCMD [{text}\n\t{text}\ntrl sft --x {text}".encode()
        assert isinstance(reading.read_launches(path, data, forms.form(path, data)), list)


def test_a_training_script_that_is_not_here_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "score.py").write_text("print(1)\n")
    text = "python steps/train_qlora.py --epochs 1\npython score.py\n"
    (run,) = opened("go.sh", text, tmp_path, monkeypatch)
    assert str(run.file) == "there is no train_qlora.py"
