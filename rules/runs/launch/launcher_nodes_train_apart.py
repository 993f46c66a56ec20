"""The nodes of a job do not train together.

`torchrun` and `accelerate launch` start one training on one node unless they are told the number of
nodes. `srun torchrun --nproc_per_node=4` on two nodes starts two trainings that know nothing of
each other: both train the whole data with half of the batch, and both write to the same folder. A
batch script that calls the launcher without `srun` trains on the first node; the others are paid
for and idle. No error is raised.

Remedy: tell the launcher the number of nodes and where they meet, and start it on each with `srun`:
`srun torchrun --nnodes $SLURM_NNODES --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500
--rdzv_id $SLURM_JOB_ID …`; with accelerate `--num_machines`, `--machine_rank`,
`--main_process_ip` and `--main_process_port`. Or ask Slurm for one node.

Versions: Slurm, with torchrun or accelerate, and PyTorchJob of Kubernetes. A file for accelerate
(`--config_file`) is not read.

Seen: reproduced with torchrun of torch 2.13.0, started once for each of two nodes: the world of
each process has 2 members in place of 4. With the options above it has 4. With `--nnodes 2` and one
node it ends with "RendezvousTimeoutError", with `--nnodes 1` and two nodes the second one does not
join.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.nodes import nodes_apart
from trl_doctor.facts.rule import Bad, Good, Rule

WHERE = {
    "torchrun": "--nnodes {0} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 "
    "--rdzv_id $SLURM_JOB_ID",
    "accelerate": "--num_machines {0} --machine_rank $SLURM_NODEID --main_process_ip $MASTER_ADDR "
    "--main_process_port 29500, within srun bash -c '…'",
}


def check(facts: Facts) -> Iterator[Finding]:
    if not (apart := facts[nodes_apart]):
        return
    options = WHERE[apart.launcher].format(apart.nodes)
    if apart.given:
        message = f"{apart.nodes} nodes start, and --{apart.option} is {apart.given}: " + (
            "each waits for nodes that do not come"
            if int(apart.given) > apart.nodes
            else "the others cannot join"
        )
        yield Finding(apart.place, message, remedy=f"write --{apart.option} {apart.nodes}")
        return
    if apart.srun:
        message = (
            f"srun starts {apart.launcher} on {apart.nodes} nodes without --{apart.option}: each "
            "node trains alone, and all write to the same folder"
        )
        remedy = f"write {options}"
    else:
        message = (
            f"the job asks for {apart.nodes} nodes, but {apart.launcher} runs on the first one: "
            "the others do nothing"
        )
        remedy = f"write srun before {apart.launcher}, with {options}; or ask for one node"
    yield Finding(apart.place, message, remedy=remedy)


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
HEAD = "#!/bin/bash\n#SBATCH --nodes=2\n"


def _job(line: str, head: str = HEAD) -> dict[str, Json]:
    return {"job.sbatch": f"{head}{line}\n", "train.py": SCRIPT}


REPLICAS = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: sft}
spec:
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: own
            command: [torchrun, --nnodes=4, --nproc_per_node=8, --node_rank=$(RANK), train.py]
    Worker:
      <<: *role
      replicas: 2
"""
TORCHRUN = "torchrun --nproc_per_node=4 train.py"
ACCELERATE = "accelerate launch --num_processes 4 train.py"
TOGETHER = "torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d train.py"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"srun {TORCHRUN}"),
            "job.sbatch",
            says="srun starts torchrun on 2 nodes without --nnodes: each node trains alone",
        ),
        Bad(
            _job(f"srun --cpu-bind=none python -m torch.distributed.run {TORCHRUN[9:]}"),
            "job.sbatch",
            says="srun starts torchrun on 2 nodes without --nnodes",
        ),
        Bad(
            _job(f"srun {ACCELERATE}"),
            "job.sbatch",
            says="srun starts accelerate on 2 nodes without --num_machines",
        ),
        Bad(
            _job(TORCHRUN),
            "job.sbatch",
            says="the job asks for 2 nodes, but torchrun runs on the first one",
        ),
        Bad(
            _job(f"srun {TOGETHER}", "#!/bin/bash\n#SBATCH --nodes=4\n"),
            "job.sbatch",
            says="4 nodes start, and --nnodes is 2: the others cannot join",
        ),
        Bad(
            {"job.yaml": REPLICAS, "train.py": SCRIPT},
            "job.yaml",
            says="3 nodes start, and --nnodes is 4: each waits for nodes that do not come",
        ),
        Good({"job.yaml": REPLICAS.replace("=4", "=3"), "train.py": SCRIPT}, "job.yaml"),
        Good(_job(f"srun {TOGETHER}"), "job.sbatch"),
        Good(_job(f"srun {TOGETHER.replace('=2', '=1:2')}"), "job.sbatch"),
        Good(_job(f"srun {TORCHRUN}", "#!/bin/bash\n#SBATCH --nodes=1\n"), "job.sbatch"),
        Good(_job(f"srun --nodes=1 --ntasks=1 {TORCHRUN}"), "job.sbatch"),
        Good(_job(f"srun -N1 {TORCHRUN} &\nsrun -N1 vllm serve org/m"), "job.sbatch"),
        Good(_job(f"srun bash -c '{TORCHRUN}'"), "job.sbatch"),
        Good(_job(f"for host in $HOSTS; do ssh $host {TOGETHER}; done"), "job.sbatch"),
        Good(_job(f"srun {ACCELERATE[:17]} --config_file c.yaml train.py"), "job.sbatch"),
        Good(_job("python train.py"), "job.sbatch"),
    ),
)
