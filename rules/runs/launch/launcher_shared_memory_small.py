"""The processes of the container share 64 MB of memory.

NCCL and the workers of a data loader exchange data in `/dev/shm`, and a container has 64 MB there
unless it is told otherwise. With several GPUs the training then ends, often after minutes:
"unhandled system error", "Error while creating shared memory segment", "Bus error".

Remedy: `docker run --ipc=host` or `--shm-size=16g`; in a pod of Kubernetes mount a volume with
`emptyDir: {medium: Memory}` at `/dev/shm`; for Compose `ipc: host` or `shm_size: 16g`.

Versions: Docker, Podman and Kubernetes, with several processes in a container. Not reported:
templates, and pods whose volumes the file does not show.

Seen: NVIDIA/nccl#290, NVIDIA/nccl#342. Not run: it needs several GPUs in a container.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.shared_memory import little_shared_memory
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[little_shared_memory]:
        yield Finding(
            found.place,
            f"{found.processes} processes start in a container that has 64 MB in /dev/shm",
            remedy=found.remedy,
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: sft}
spec:
  template:
    spec:
      containers:
      - name: train
        image: own/image
        workingDir: /work
        command: [torchrun, --nproc_per_node=4, train.py]
        resources: {limits: {nvidia.com/gpu: 4}}
        volumeMounts:
        - {name: work, mountPath: /work}
      volumes:
      - name: work
        persistentVolumeClaim: {claimName: work}
"""
COMPOSE = """services:
  train:
    image: own/image
    command: torchrun --nproc_per_node 2 train.py
    working_dir: /work
"""
SHM = """        - {name: shm, mountPath: /dev/shm}
      volumes:
      - {name: shm, emptyDir: {medium: Memory}}
"""


def _docker(options: str, count: int = 4) -> dict[str, Json]:
    line = f"docker run {options} --gpus all own/trl torchrun --nproc_per_node {count} train.py\n"
    return {"run.sh": line, "train.py": SCRIPT}


def _yaml(text: str, name: str = "job.yaml") -> dict[str, Json]:
    return {name: text, "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _docker("--rm"),
            "run.sh",
            says="4 processes start in a container that has 64 MB in /dev/shm",
        ),
        Bad(_yaml(JOB), "job.yaml", says="4 processes start in a container that has 64 MB"),
        Bad(_yaml(COMPOSE, "compose.yaml"), "compose.yaml", says="2 processes start in a"),
        Good(_docker("--ipc=host"), "run.sh"),
        Good(_docker("--shm-size 8g"), "run.sh"),
        Good(_docker("-v /dev/shm:/dev/shm"), "run.sh"),
        Good(_docker("--rm", 1), "run.sh"),
        Good(_yaml(JOB.replace("      volumes:\n", SHM)), "job.yaml"),
        Good(_yaml(JOB.replace("node=4", "node=1")), "job.yaml"),
        Good(_yaml(JOB.replace("    spec:\n      c", "    spec:\n      hostIPC: true\n      c")),
             "job.yaml"),
        Good(_yaml(COMPOSE + "    ipc: host\n", "compose.yaml"), "compose.yaml"),
        Good(_yaml(COMPOSE + "    shm_size: 8g\n", "compose.yaml"), "compose.yaml"),
    ),
)  # fmt: skip
