"""Launch files that are right as they are: pipes, containers, texts that are submitted."""

from __future__ import annotations

import pytest
from accused import accused

NEXT = "rsync -a out /models\n"
FOUR = "torchrun --nproc_per_node 4 train.py\n"


@pytest.mark.parametrize(
    "command",
    [
        "ls -d out/checkpoint-* | sort -t- -k2,2n | tail -n 1",
        "ls -d out/checkpoint-* | sort -t - -k 2,2n | tail -1",
        "ls -d out/checkpoint-* | sort --field-separator=- --key=2n | tail -n 1",
        "ls -d out/checkpoint-* | sort --version-sort | tail -n 1",
        "ls -d out/checkpoint-* | sort -t- -k2 -g | tail -n 1",
        "ls --sort=version -d out/checkpoint-* | tail -n 1",
        "ls --sort=time -r -d out/checkpoint-* | tail -n 1",
        "ls -d out/checkpoint-* | python newest.py | tail -n 1",
        "ls -d out/checkpoint-* | cut -d- -f2 | sort -n | tail -n1",
        "find out -name 'checkpoint-*' -printf '%T@ %p\\n' | sort -n | tail -1",
    ],
)
def test_checkpoints_that_are_sorted_by_numbers(command: str) -> None:
    assert accused(f"LAST=$({command})\npython train.py --resume $LAST\n") == set()


@pytest.mark.parametrize(
    "order", ["sort", "sort -r", "sort -u", "sort -t- -k2", "grep -v tmp", "sort --reverse"]
)
def test_checkpoints_that_are_sorted_by_letters(order: str) -> None:
    text = f"LAST=$(ls -d out/checkpoint-* | {order} | tail -n 1)\npython train.py --resume $LAST\n"
    assert accused(text) == {"launcher-checkpoint-by-letters"}


@pytest.mark.parametrize(
    "lines",
    [
        "python train.py && echo done | tee -a log",
        "date | tee -a log; python train.py",
        "source common.sh\npython train.py | tee log",
        "set +e\npython train.py | tee log\nset -e",
        "{ python train.py; echo $? > status; } 2>&1 | tee log",
        "python train.py > >(tee log) 2>&1",
        'python train.py --prompt "a | tee b"',
        "python train.py # | tee log",
        'bash -o pipefail -c "python train.py | tee log"',
        "python train.py || true; ls | tee log",
    ],
)
def test_a_failure_that_is_seen(lines: str) -> None:
    assert (
        accused(f"#!/bin/bash\nset -e\n{lines}\n{NEXT}", **{"common.sh": "set -o pipefail\n"})
        == set()
    )


@pytest.mark.parametrize(
    "line",
    [
        "python train.py 2>&1 | tee log",
        "python train.py --text 'a;b' |& tee log",
        "srun python train.py \\\n  --lr 1 2>&1 \\\n  | tee log",
        "python train.py 2>&1 | grep -v Warning | tee log",
    ],
)
def test_a_failure_that_is_hidden(line: str) -> None:
    assert accused(f"set -e\n{line}\n{NEXT}") == {"launcher-failure-hidden"}


@pytest.mark.parametrize(
    "line",
    [
        f"docker run -e NVIDIA_VISIBLE_DEVICES=all --ipc=host own {FOUR}",
        f"apptainer instance start --nv own.sif a\napptainer exec instance://a {FOUR}",
        f"podman run --hooks-dir=/usr/share/containers/oci/hooks.d --ipc=host own {FOUR}",
        f"export SINGULARITY_ROCM=1\nsingularity exec own.sif {FOUR}",
        f'RUN="apptainer exec --nv own.sif"\n$RUN {FOUR}',
        f'WITH=(--nv --bind /data)\nsrun -N1 apptainer exec "${{WITH[@]}}" own.sif {FOUR}',
        f'inside() {{ apptainer exec --nv own.sif "$@"; }}\ninside {FOUR}',
        f"docker run --rm \\\n  --gpus all \\\n  --ipc=host own \\\n  {FOUR}",
    ],
)
def test_a_container_with_gpus(line: str) -> None:
    assert accused(f"#!/bin/bash\n#SBATCH --gpus-per-node=4\n{line}", "job.sbatch") == set()


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", "# of $SLURM_JOB_ID\npython train.py"),
        ("", "python train.py --nodes ${SLURM_NNODES:-2}"),
        ("SLURM_NNODES=2\n", "python train.py --nodes $SLURM_NNODES"),
        ("export SLURM_NNODES=2\n", "python train.py --nodes $SLURM_NNODES"),
        ("", "python train.py --out \\$SLURM_JOB_ID"),
    ],
)
def test_a_text_that_is_submitted_as_it_is_meant(before: str, line: str) -> None:
    for end in ("\n", "\r\n"):
        text = f"#!/bin/bash\n{before}sbatch <<EOF\n#!/bin/bash\n#SBATCH -N 1\n{line}\nEOF\n"
        assert accused(text.replace("\n", end)) == set()
