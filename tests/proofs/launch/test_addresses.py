"""Nodes that meet, or each wait at their own address: torchrun in networks of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import checks, free_ports
from laid import Interpreter

RULE = "launcher-node-meets-itself"
SRUN = """#!/bin/bash
for node in 0 1; do SLURM_NODEID=$node {} "$@" & done
wait
"""
"""What Slurm's own does on two nodes, on one machine."""

APART = "unshare --user --map-root-user --net bash -c 'ip link set lo up; exec \"$@\"' -"
TRAIN = """\
import torch.distributed as dist

dist.init_process_group("gloo")
world = dist.get_world_size()
dist.barrier()
print(f"WORLD {world}\\n", end="", flush=True)
dist.barrier()  # who ends first takes the other's store away
dist.destroy_process_group()
if world > 9:
    from trl import SFTConfig, SFTTrainer
    SFTTrainer("org/m", args=SFTConfig("out"))
"""
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"
OPTIONS = "--nnodes=2 --nproc_per_node=1 --rdzv_backend=c10d --rdzv_id=7 --rdzv_conf=join_timeout=9"


def has_networks() -> bool:
    """Whether this machine lets a process have a network of its own."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    return subprocess.run(["bash", "-c", f"{APART} true"], capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
def test_the_address_of_each_node(alone: bool, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    if alone and not has_networks():
        pytest.skip("no process here can have a network of its own")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "srun").write_text(SRUN.format(APART if alone else ""))
    (programs / "srun").chmod(0o755)
    (tmp_path / "train.py").write_text(TRAIN)
    job = tmp_path / "job.sbatch"
    (port,) = free_ports(1)
    address = f"localhost:{port}" if alone else f"$(hostname):{port}"
    line = f"srun {python} -m torch.distributed.run {OPTIONS} --rdzv_endpoint={address} train.py"
    job.write_text(f"{HEAD}{line}\n")
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", job], env=variables, cwd=tmp_path, capture_output=True,
                          text=True, timeout=200)  # fmt: skip
    assert done.stdout.split() == ([] if alone else ["WORLD", "2"] * 2)
    assert ("RendezvousTimeoutError" in done.stderr) == alone
    found = checks(job, python, "--level", "files", "--select", RULE, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == alone
