"""Nodes that train together, or each alone: real processes of torchrun, once for each node."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from commands import checks
from laid import Interpreter

RULE = "launcher-nodes-train-apart"
SRUN = """#!/bin/bash
for node in 0 1; do SLURM_NODEID=$node PET_MASTER_PORT=2958$node "$@" & done
wait
"""
"""What Slurm's own does on two nodes, on one machine: each node has its own ports."""

TRAIN = """\
import torch.distributed as dist

dist.init_process_group("gloo")
dist.barrier()  # none leaves before all have met
world = dist.get_world_size()
print(f"WORLD {world}\\n", end="", flush=True)
dist.destroy_process_group()
if world > 9:
    from trl import SFTConfig, SFTTrainer
    SFTTrainer("org/m", args=SFTConfig("out"))
"""
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"
TOGETHER = "--nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=localhost:29577 --rdzv_id=7"


@pytest.mark.slow
@pytest.mark.parametrize(("options", "worlds"), [("", ["2"] * 4), (TOGETHER, ["4"] * 4)])
def test_srun_starts_a_launcher_on_each_node(
    options: str, worlds: list[str], tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "srun").write_text(SRUN)
    (programs / "srun").chmod(0o755)
    (programs / "python").symlink_to(python)
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sbatch"
    line = f"srun {python} -m torch.distributed.run --nproc_per_node=2 {options} train.py"
    job.write_text(f"{HEAD}{line}\n")
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", job], env=variables, cwd=tmp_path, capture_output=True,
                          text=True, check=True, timeout=200)  # fmt: skip
    assert [line.split()[1] for line in done.stdout.splitlines()] == worlds
    found = checks(job, python, "--level", "files", "--select", RULE, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == (worlds[0] == "2")


FILE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
main_process_ip: 127.0.0.1
num_machines: {}
num_processes: {}
same_network: true
"""
"""For accelerate; without GPUs it starts the processes just the same."""


@pytest.mark.slow
@pytest.mark.parametrize("machines", [1, 2])
def test_the_file_of_accelerate_says_how_many_nodes(
    machines: int, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "srun").write_text(SRUN)
    (programs / "srun").chmod(0o755)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "acc.yaml").write_text(FILE.format(machines, 2 * machines))
    port = "29588" if machines == 2 else "2959$SLURM_NODEID"
    line = (
        f"srun bash -c '{python.parent}/accelerate launch --config_file acc.yaml "
        f"--machine_rank $SLURM_NODEID --main_process_port {port} train.py'"
    )
    job = tmp_path / "job.sbatch"
    job.write_text(f"{HEAD}{line}\n")
    variables = {**os.environ, "PATH": f"{programs}:{python.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", job], env=variables, cwd=tmp_path, capture_output=True,
                          text=True, check=True, timeout=200)  # fmt: skip
    assert [line.split()[1] for line in done.stdout.splitlines()] == [str(2 * machines)] * 4
    found = checks(job, python, "--level", "files", "--select", RULE, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == (machines == 1)
