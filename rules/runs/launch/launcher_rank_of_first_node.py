"""Each node gets the rank of the first one.

The shell of the batch script fills in `$SLURM_NODEID` and `$SLURM_PROCID` before it starts `srun`.
It runs on the first node only, so that all nodes get the rank 0. Each of them takes itself for the
first, and they wait for each other until a time-out. So it is within double quotation marks, `srun
bash -c "…"`. With `--rdzv_backend c10d` the nodes find out their ranks themselves.

Remedy: let the shell of each node fill the variable in, within single quotes:
`srun bash -c 'accelerate launch --machine_rank $SLURM_NODEID … train.py'`.

Versions: Slurm, with accelerate or torchrun.

Seen: accelerate#2816. Reproduced with Slurm 22.05: `srun -n 2 echo $SLURM_PROCID` prints 0 twice,
and `srun -n 2 bash -c 'echo $SLURM_PROCID'` prints 0 and 1.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.ranks import rank_of_first_node
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (found := facts[rank_of_first_node]):
        return
    option, word = found
    yield Finding(
        place_on_line(facts.run.target, word.line, word.column),
        f"--{option} {word.spelled}: the first node fills it in for all nodes, and each of them "
        "gets the rank 0",
        remedy=f"write srun bash -c '… --{option} {word.spelled} …' with single quotes: the shell "
        "of each node then fills it in",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"


def _job(line: str, head: str = HEAD) -> dict[str, Json]:
    return {"job.sbatch": f"{head}{line}\n", "train.py": SCRIPT}


ACCELERATE = "accelerate launch --num_machines 2 \\\n  --machine_rank $SLURM_NODEID train.py"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"srun {ACCELERATE}"),
            "job.sbatch",
            says="--machine_rank $SLURM_NODEID: the first node fills it in for all nodes",
        ),
        Bad(
            _job("srun torchrun --nnodes=2 --node-rank=${SLURM_PROCID} train.py"),
            "job.sbatch",
            says="--node_rank $SLURM_PROCID: ",
        ),
        Good(_job(f"srun bash -c '{ACCELERATE}'"), "job.sbatch"),
        Bad(
            _job(f'srun bash -c "{ACCELERATE}"'),
            "job.sbatch",
            says="--machine_rank $SLURM_NODEID: the first node fills it in for all nodes",
        ),
        Good(_job(f'srun bash -c "{ACCELERATE}"'.replace("$", "\\$")), "job.sbatch"),
        Good(
            _job(f"srun {ACCELERATE.replace('train', '--rdzv_backend c10d train')}"), "job.sbatch"
        ),
        Good(_job("srun torchrun --nnodes=2 --rdzv_id 1 train.py"), "job.sbatch"),
        Good(_job(ACCELERATE), "job.sbatch"),
        Good(
            _job("srun torchrun --nnodes 1 --node_rank $SLURM_NODEID train.py", "#!/bin/bash\n"),
            "job.sbatch",
        ),
        Good(_job('srun torchrun --nnodes 2 --node_rank "$1" train.py'), "job.sbatch"),
    ),
)  # fmt: skip
