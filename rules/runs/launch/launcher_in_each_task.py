"""Each task of a node starts a launcher.

`torchrun` and `accelerate launch` start all processes of a node. `srun` starts one for each task
of the job, so that with `--ntasks-per-node=4` four launchers start four processes each. They
compete for the same port and the same GPUs ("address already in use", "invalid device ordinal"), or
take each other for the other nodes.

Remedy: ask for one task on a node, `--ntasks-per-node=1`, with `--cpus-per-task` for all its
processes. Or start `python` in place of the launcher.

Versions: Slurm, with torchrun, accelerate or deepspeed. Not reported: jobs that give each task GPUs
of its own (`--gpus-per-task`).

Seen: reproduced with torchrun of torch 2.13.0, started twice on one machine with two processes
each: the second one ends with "EADDRINUSE" on the port of the first. Not run with Slurm.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.node_processes import in_each_task
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (found := facts[in_each_task]):
        return
    yield Finding(
        found.place,
        f"srun starts {found.launcher} in each of the {found.tasks} tasks of a node: "
        f"{found.tasks * found.processes} processes for {found.gpus} GPUs",
        remedy="write --ntasks-per-node=1: the launcher starts the processes itself",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gpus-per-node=4\n"


def _job(line: str, head: str = HEAD) -> dict[str, Json]:
    return {"job.sbatch": f"{head}{line}\n", "train.py": SCRIPT}


TORCHRUN = "torchrun --nnodes 2 --nproc_per_node=4 --rdzv_backend c10d train.py"
ACCELERATE = "accelerate launch --num_machines 2 --num_processes 8 train.py"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"srun {TORCHRUN}"),
            "job.sbatch",
            says="srun starts torchrun in each of the 4 tasks of a node: 16 processes for 4 GPUs",
        ),
        Bad(_job(f"srun bash -c '{ACCELERATE}'"), "job.sbatch", says="srun starts accelerate in"),
        Good(_job(f"srun --ntasks-per-node=1 {TORCHRUN}"), "job.sbatch"),
        Good(_job(f"srun -N 2 -n 2 {TORCHRUN}"), "job.sbatch"),
        Good(_job(f"srun {TORCHRUN}", HEAD.replace("node=4\n#SBATCH --g", "node=1\n#SBATCH --g")),
             "job.sbatch"),
        Good(_job(f"srun {TORCHRUN}", HEAD.replace("--gpus-per-node", "--gpus-per-task")),
             "job.sbatch"),
        Good(_job(TORCHRUN), "job.sbatch"),
        Good(_job("srun python train.py"), "job.sbatch"),
    ),
)  # fmt: skip
