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

Versions: Slurm and SkyPilot, with torchrun or accelerate (with its file), PyTorchJob of Kubernetes,
and jobs of GitHub and GitLab, each of which is one machine. Not reported: a text that each node
reads (`srun bash -c '…'`), if it may choose one.

Seen: reproduced with torchrun of torch 2.13.0, started once for each of two nodes: the world of
each process has 2 members in place of 4. With the options above it has 4. With `--nnodes 2` and one
node it ends with "RendezvousTimeoutError", with `--nnodes 1` and two nodes the second one does not
join. So it is with accelerate 1.15.0 and `num_machines: 1` or 2 in its file.
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
    name = f"{apart.option} of {apart.file}" if apart.file else f"--{apart.option}"
    if apart.given:
        start = "one machine starts" if apart.nodes == 1 else f"{apart.nodes} nodes start"
        message = f"{start}, and {name} is {apart.given}: " + (
            "it waits for nodes that do not come"
            if apart.nodes == 1
            else "each waits for nodes that do not come"
            if int(apart.given) > apart.nodes
            else "the others cannot join"
        )
        yield Finding(apart.place, message, remedy=f"write --{apart.option} {apart.nodes}")
        return
    if apart.by:
        lacks = f"with {name} of 1" if apart.file else f"without {name}"
        message = (
            f"{apart.by} starts {apart.launcher} on {apart.nodes} nodes {lacks}: each "
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
SKY = """resources: {accelerators: H100:4}
num_nodes: 2
run: |
  torchrun --nproc_per_node=4 train.py
"""


def _with_file(line: str, machines: int) -> dict[str, Json]:
    file: Json = {"distributed_type": "MULTI_GPU", "num_machines": machines, "num_processes": 8}
    return {**_job(line), "a.yaml": file}


TORCHRUN = "torchrun --nproc_per_node=4 train.py"
ACCELERATE = "accelerate launch --num_processes 4 train.py"
TOGETHER = "torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d train.py"


def _gitlab(machines: int, more: str = "") -> dict[str, Json]:
    text = f"train:\n{more}  script:\n  - accelerate launch --config_file a.yaml train.py\n"
    files = _with_file("", machines)
    return {".gitlab-ci.yml": text, "train.py": files["train.py"], "a.yaml": files["a.yaml"]}


def _two_jobs() -> dict[str, Json]:
    files = _gitlab(2)
    text = str(files[".gitlab-ci.yml"])
    return {
        **files,
        ".gitlab-ci.yml": text + text.replace("train:", "other:").replace("a.y", "b.y"),
    }


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _gitlab(2),
            ".gitlab-ci.yml",
            says="one machine starts, and num_machines of a.yaml is 2: it waits for nodes that",
        ),
        Good(_gitlab(1), ".gitlab-ci.yml"),
        Good(_two_jobs(), ".gitlab-ci.yml"),
        Good(_gitlab(2, "  parallel: 2\n"), ".gitlab-ci.yml"),
        Good(_gitlab(2, "  before_script: [ssh other ./join.sh]\n"), ".gitlab-ci.yml"),
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
        Bad(
            _with_file("srun bash -c 'accelerate launch --config_file a.yaml train.py'", 4),
            "job.sbatch",
            says="2 nodes start, and num_machines of a.yaml is 4: each waits for nodes",
        ),
        Bad(
            _with_file("srun accelerate launch --config_file a.yaml train.py", 1),
            "job.sbatch",
            says="srun starts accelerate on 2 nodes with num_machines of a.yaml of 1: each node",
        ),
        Bad(
            {"sky.yaml": SKY, "train.py": SCRIPT},
            "sky.yaml",
            says="SkyPilot starts torchrun on 2 nodes without --nnodes: each node trains alone",
        ),
        Good(
            {"sky.yaml": SKY.replace("run --", "run --nnodes 2 --"), "train.py": SCRIPT}, "sky.yaml"
        ),
        Good(
            {
                "sky.yaml": SKY.replace("torch", 'if [ "$SKYPILOT_NODE_RANK" = 0 ]; then torch'),
                "train.py": SCRIPT,
            },
            "sky.yaml",
        ),
        Good(_with_file("srun accelerate launch --config_file a.yaml train.py", 2), "job.sbatch"),
        Good(
            _with_file("srun accelerate launch --config_file a.yaml --num_machines 2 train.py", 1),
            "job.sbatch",
        ),
        Good(
            _job(f"srun {ACCELERATE[:17]} --config_file c.yaml train.py"),
            "job.sbatch",
            skipped="c.yaml is not here",
        ),
        Good(_job("python train.py"), "job.sbatch"),
    ),
)
