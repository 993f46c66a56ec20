"""The launcher starts more processes than the job has GPUs.

Each process trains on a GPU of its own, by its number on the node. With 8 processes on 4 GPUs the
fifth asks for a GPU that is not there: "CUDA error: invalid device ordinal". The job ends after it
has waited in the queue.

Remedy: start as many processes on a node as it has GPUs, or ask for more GPUs.
`--nproc_per_node=gpu` counts them.

Versions: torchrun, accelerate (with its file) and deepspeed, in files of Slurm, Kubernetes,
SkyPilot and Modal; and any with `CUDA_VISIBLE_DEVICES`, or with a hostfile of DeepSpeed. Not tested
on GPUs.

Seen: not run. In its sources transformers 5.23.0 takes the GPU whose number is LOCAL_RANK, and
torchrun gives each process of a node a number of its own. DeepSpeed 0.19.8 takes `--num_gpus` in
place of the slots of its hostfile, and then ignores `CUDA_VISIBLE_DEVICES`.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.node_processes import more_processes
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (found := facts[more_processes]):
        return
    yield Finding(
        found.place,
        f"{found.processes} processes start on each node, and {found.says}: the others find none",
        remedy=f"start {found.gpus} processes on a node, or give it {found.processes} GPUs",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: sft}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: own/image
        workingDir: /work
        command: [torchrun, --nproc_per_node=8, train.py]
        resources: {limits: {nvidia.com/gpu: 4}}
"""
EIGHT: dict[str, Json] = {"num_processes": 8, "num_machines": 1, "distributed_type": "MULTI_GPU"}
SERVER = """      - name: server
        image: own/image
        resources: {limits: {nvidia.com/gpu: 8}}
"""


def _job(line: str, asks: str = "--gpus-per-node=4") -> dict[str, Any]:
    return {"job.sbatch": f"#!/bin/bash\n#SBATCH {asks}\n{line}\n", "train.py": SCRIPT}


def _pod(text: str) -> dict[str, Any]:
    return {"job.yaml": text, "train.py": SCRIPT}


def _shell(text: str) -> dict[str, Any]:
    return {"job.sh": f"#!/bin/bash\n{text}\n", "train.py": SCRIPT}


HOSTS = "# nodes\none slots=4\ntwo slots=8\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _pod(JOB),
            "job.yaml",
            says="8 processes start on each node, and the job asks for 4 GPUs",
        ),
        Bad(
            _job("torchrun --nproc_per_node 8 train.py"),
            "job.sbatch",
            says="8 processes start on each node, and the job asks for 4 GPUs",
        ),
        Bad(
            _job("accelerate launch --num_processes=4 train.py", "--gres=gpu:a100:1"),
            "job.sbatch",
            says="4 processes start on each node, and the job asks for 1 GPU:",
        ),
        Bad(
            {**_job("accelerate launch --config_file a.yaml train.py"), "a.yaml": EIGHT},
            "job.sbatch",
            says="8 processes start on each node, and the job asks for 4 GPUs",
        ),
        Bad(
            _shell("export CUDA_VISIBLE_DEVICES=0\naccelerate launch --num_processes 8 train.py"),
            "job.sh",
            says="8 processes start on each node, and CUDA_VISIBLE_DEVICES=0 shows 1 GPU:",
        ),
        Bad(
            {**_shell("deepspeed --hostfile hosts --num_gpus 8 train.py"), "hosts": HOSTS},
            "job.sh",
            says="8 processes start on each node, and hosts gives a node 4 GPUs:",
        ),
        Good(
            {**_shell("deepspeed --hostfile hosts --num_gpus 4 train.py"), "hosts": HOSTS},
            "job.sh",
        ),
        Good(_shell("CUDA_VISIBLE_DEVICES=4,5,6,7 torchrun --nproc_per_node 4 train.py"), "job.sh"),
        Good(_shell("CUDA_VISIBLE_DEVICES=0 deepspeed --num_gpus 4 train.py"), "job.sh"),
        Good(
            {
                **_job("accelerate launch --config_file a.yaml --num_machines 2 train.py"),
                "a.yaml": EIGHT,
            },
            "job.sbatch",
        ),
        Good(
            {
                **_job("accelerate launch --config_file a.yaml --num_processes 4 train.py"),
                "a.yaml": EIGHT,
            },
            "job.sbatch",
        ),
        Good(_pod(JOB.replace("gpu: 4", "gpu: 8")), "job.yaml"),
        Good(_pod(JOB + SERVER), "job.yaml"),
        Good(_job("torchrun --nproc_per_node 4 train.py"), "job.sbatch"),
        Good(_job("torchrun --nproc_per_node gpu train.py"), "job.sbatch"),
        Good(
            _job("srun accelerate launch --num_machines 2 --num_processes 8 train.py"),
            "job.sbatch",
        ),
        Good(_job("accelerate launch --num_processes 8 --cpu train.py"), "job.sbatch"),
        Good(_job("python train.py"), "job.sbatch"),
    ),
)
