"""Each node waits for the others at its own address.

The nodes of a training meet at the address of the first one. `localhost`, or `$(hostname)` in a
text that the shell of each node reads, is another machine on each of them: each node waits for the
others until a time-out, while all its GPUs are paid for.

Remedy: fill the address in before `srun`, in the batch script: `export MASTER_ADDR=$(scontrol show
hostnames $SLURM_JOB_NODELIST | head -n 1)`. With SkyPilot: `MASTER_ADDR=$(echo
"$SKYPILOT_NODE_IPS" | head -n1)`.

Versions: Slurm and SkyPilot, with torchrun or accelerate, for more than one node.

Seen: reproduced with torchrun of torch 2.13.0 for two nodes, each in a network of its own:
"RendezvousTimeoutError" with the back end c10d, and with `--master_addr` both wait. With one
network both train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.addresses import own_address
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[own_address]:
        yield Finding(
            found.place,
            f"{found.option} is {found.value}, which is another machine on each of the "
            f"{found.nodes} nodes: they do not meet",
            remedy="give all nodes the address of the first one, filled in before they start",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"
LINE = "torchrun --nnodes 2 --nproc_per_node 4 --rdzv_backend c10d --rdzv_endpoint {} train.py"
SKY = """resources: {{accelerators: H100:4}}
num_nodes: 2
run: |
  torchrun --nnodes $SKYPILOT_NUM_NODES --master_addr {} train.py
"""
FILE: Json = {"distributed_type": "MULTI_GPU", "num_machines": 2, "main_process_ip": "127.0.0.1"}


def _job(*lines: str, head: str = HEAD) -> dict[str, Json]:
    return {"job.sbatch": "\n".join([head, *lines, ""]), "train.py": SCRIPT}


SETS = "export MASTER_ADDR=$(hostname)"
OF_VARIABLE = LINE.format("$MASTER_ADDR:29500")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"srun {LINE.format('localhost:29500')}"),
            "job.sbatch",
            says="--rdzv_endpoint is localhost:29500, which is another machine on each of the 2",
        ),
        Bad(
            _job(f"srun bash -c '{SETS}\n{OF_VARIABLE}'"),
            "job.sbatch",
            says="MASTER_ADDR is $(hostname), which is another machine on each of the 2 nodes",
        ),
        Bad(
            {**_job("srun bash run.sh"), "run.sh": f"{SETS}\n{OF_VARIABLE}\n"},
            "job.sbatch",
            says="MASTER_ADDR is $(hostname)",
        ),
        Bad(
            {"sky.yaml": SKY.format("127.0.0.1"), "train.py": SCRIPT},
            "sky.yaml",
            says="--master_addr is 127.0.0.1",
        ),
        Bad(
            {**_job("srun accelerate launch --config_file a.yaml train.py"), "a.yaml": FILE},
            "job.sbatch",
            says="main_process_ip of a.yaml is 127.0.0.1",
        ),
        Good(_job(SETS, f"srun {OF_VARIABLE}"), "job.sbatch"),
        Good(_job(SETS, f"srun bash -c '{OF_VARIABLE}'"), "job.sbatch"),
        Good(_job(f'srun bash -c "{SETS}; {OF_VARIABLE}"'), "job.sbatch"),
        Good(_job(f"srun {LINE.format('localhost:0')}", head="#!/bin/bash\n"), "job.sbatch"),
        Good(_job(f"srun -N1 {LINE.format('localhost:0')}"), "job.sbatch"),
        Good(_job("srun torchrun --master_addr localhost train.py"), "job.sbatch"),
        Good({"sky.yaml": SKY.format("$HEAD"), "train.py": SCRIPT}, "sky.yaml"),
    ),
)
