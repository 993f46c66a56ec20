"""The job has more GPUs than the launcher starts processes.

Each process trains on one GPU. With 4 processes on a node of 8 GPUs the other four are paid for and
idle, and the batch is half of what was planned. If `python` starts the script, one process has them
all: the trainer then uses DataParallel, which is slow, and batches are larger than the arguments.

Remedy: start a process for each GPU, `--nproc_per_node=8`, `--num_processes` with the GPUs of all
nodes; or ask for fewer GPUs.

Versions: torchrun, accelerate, deepspeed and plain `python`, in files of Slurm, Kubernetes,
SkyPilot and Modal. Not reported: if the launch file or the script may use the others (a server,
`device_map`, `CUDA_VISIBLE_DEVICES`, other commands at the same time).

Seen: not run on GPUs. torchrun of torch 2.13.0 starts one process without `--nproc_per_node`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.node_processes import fewer_processes
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (found := facts[fewer_processes]):
        return
    several = f"{found.processes} process{'es start' if found.processes > 1 else ' starts'}"
    if found.launcher:
        message = f"the job asks for {found.gpus} GPUs on each node, and {several}: the others idle"
    else:
        message = (
            f"the job asks for {found.gpus} GPUs, and python starts one process: it trains on all "
            "of them with DataParallel"
        )
    remedy = f"start {found.gpus} processes on each node, or ask for fewer GPUs"
    yield Finding(found.place, message, remedy=remedy)


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'{}))\n"
ACCELERATE = "accelerate launch --config_file a.yaml{} train.py"


def _job(line: str, asks: str = "--gpus-per-node=8", more: str = "") -> dict[str, Json]:
    text = f"#!/bin/bash\n#SBATCH {asks}\n{line}\n"
    file: Json = {"distributed_type": "MULTI_GPU", "num_machines": 2, "num_processes": 8}
    return {"job.sbatch": text, "train.py": SCRIPT.format(more), "a.yaml": file}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("torchrun --nproc_per_node 4 train.py"),
            "job.sbatch",
            says="the job asks for 8 GPUs on each node, and 4 processes start: the others idle",
        ),
        Bad(_job("torchrun train.py"), "job.sbatch", says="and 1 process starts"),
        Bad(_job(ACCELERATE.format("")), "job.sbatch", says="and 4 processes start"),
        Bad(
            _job("python train.py"),
            "job.sbatch",
            says="asks for 8 GPUs, and python starts one process: it trains on all of them",
        ),
        Good(_job("torchrun --nproc_per_node 8 train.py"), "job.sbatch"),
        Good(_job("torchrun --nproc_per_node gpu train.py"), "job.sbatch"),
        Good(_job(ACCELERATE.format(" --num_processes 16")), "job.sbatch"),
        Good(_job("python train.py", "--gpus-per-node=1"), "job.sbatch"),
        Good(
            _job("python train.py", more=", model_init_kwargs={'device_map': 'auto'}"), "job.sbatch"
        ),
        Good(_job("CUDA_VISIBLE_DEVICES=0 python train.py"), "job.sbatch"),
        Good(_job("python train.py &\npython train.py"), "job.sbatch"),
        Good(_job("vllm serve x &\ntorchrun --nproc_per_node 4 train.py"), "job.sbatch"),
        Good(_job("srun python train.py", "--gpus-per-node=8 --ntasks-per-node=8"), "job.sbatch"),
    ),
)
