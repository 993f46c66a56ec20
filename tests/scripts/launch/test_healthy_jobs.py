"""Jobs of Slurm that are right as they are, of which no rule on launch files says anything."""

from __future__ import annotations

import pytest
from accused import accused

from trl_doctor.files.launch.cluster import of_slurm
from trl_doctor.files.launch.directives import directives, of_job

FOUR = "torchrun --nproc_per_node 4 train.py\n"
TOGETHER = (
    "torchrun --nnodes 2 --nproc_per_node {} --rdzv_backend c10d --rdzv_endpoint $H:1 train.py\n"
)


@pytest.mark.parametrize(
    ("directives", "line"),
    [
        pytest.param("--gpus=1\n# SBATCH --gpus=8", "python train.py\n", id="taken out by a blank"),
        pytest.param("--gpus=1\n##SBATCH --gpus=8", "python train.py\n", id="taken out"),
        pytest.param("--gpus-per-node=4 # was --gpus-per-node=8", FOUR, id="a comment"),
        pytest.param("--gpus=4\ncd .\n#SBATCH --gpus=8", FOUR, id="below the first command"),
        pytest.param("--gres=gpu:4,nvme:1", FOUR, id="a disk, too"),
        pytest.param("--gres=gpu:a100:4,nvme:1600", FOUR, id="a large disk"),
        pytest.param("--gres=nvme:100", "python train.py\n", id="a disk alone"),
        pytest.param("--gres=gpu:a100:2,gpu:v100:2", FOUR, id="two kinds of GPUs"),
        pytest.param("--gres=gpu:a100:4(S:0-1)", FOUR, id="sockets"),
        pytest.param("--ntasks=4\n#SBATCH --gpus-per-task=1", FOUR, id="GPUs of tasks"),
        pytest.param("-G4", FOUR, id="a short option"),
        pytest.param(
            "--ntasks=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus=16",
            f"srun {TOGETHER.format(8)}",
            id="nodes that follow from tasks",
        ),
        pytest.param(
            "--gpus-per-node=4\n#SBATCH hetjob\n#SBATCH --gpus-per-node=8",
            FOUR,
            id="two components",
        ),
        pytest.param("-N 1\n# SBATCH --nodes=2", FOUR, id="one node"),
        pytest.param("--no-requeue", "python train.py\n", id="it is not queued again"),
    ],
)
def test_a_healthy_job(directives: str, line: str) -> None:
    assert accused(f"#!/bin/bash\n#SBATCH {directives}\n{line}", "job.sbatch") == set()


def test_options_have_their_values_and_places() -> None:
    text = '#!/bin/bash\n\n#SBATCH -N4 --requeue -p "a b"  # c\n#SBATCH --mem 8G --exclusive\n'
    found = [(each.name, each.value, each.line, each.column) for each in of_job(text + "ls\n")]
    assert found == [
        ("-N", "4", 3, 9), ("--requeue", "", 3, 13), ("-p", "a b", 3, 23),
        ("--mem", "8G", 4, 9), ("--exclusive", "", 4, 18),
    ]  # fmt: skip


def test_a_script_that_submits_a_text_has_the_options_of_the_text() -> None:
    text = "#!/bin/bash\nsbatch <<-EOF\n\t#SBATCH -N 2\n\t#SBATCH --gpus-per-node=a100:8\nEOF\n"
    assert of_job(text) == []
    assert [each.value for each in directives(text)] == ["2", "a100:8"]
    assert (of_slurm(text).nodes, of_slurm(text).gpus_per_node, of_slurm(text).gpu) == (
        2,
        8,
        "a100",
    )
