"""The container gets no GPUs.

A container has the GPUs of its host only if it is asked for: `--nv` of Apptainer, `--gpus all` of
Docker. Without it PyTorch finds none. The training then runs on the CPU, hundreds of times slower,
or fails at its first use of CUDA, after the job has waited for its GPUs.

Remedy: write `apptainer exec --nv …`, `docker run --gpus all …`, `podman run --device
nvidia.com/gpu=all …`.

Versions: Apptainer and Singularity (`--nv`, `--nvccli`, `--rocm`), Docker and Podman. Reported only
if the job asks for GPUs, or if a launcher starts several processes. Not reported: a container that
is given devices or a runtime in another way.

Seen: not run. Apptainer's and Docker's own pages on GPUs say it.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.container import without_gpus
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[without_gpus]:
        yield Finding(
            found.place,
            f"{found.program} gives the container no GPU without {found.option}",
            remedy=f"write {found.program} {found.verb} {found.option}",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(line: str, asks: str = "--gpus-per-node=4") -> dict[str, Json]:
    return {"job.sbatch": f"#!/bin/bash\n#SBATCH {asks}\n{line} train.py\n", "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("srun apptainer exec --bind $PWD trl.sif python"),
            "job.sbatch",
            says="apptainer gives the container no GPU without --nv",
        ),
        Bad(
            _job("docker run --rm -v .:/w -w /w own/trl torchrun --nproc_per_node 2", "-N 1"),
            "job.sbatch",
            says="docker gives the container no GPU without --gpus all",
        ),
        Bad(
            _job("singularity exec trl.sif bash -c 'python train.py' #"),
            "job.sbatch",
            says="singularity gives the container no GPU without --nv",
        ),
        Good(_job("apptainer exec --nv trl.sif python"), "job.sbatch"),
        Good(_job("export APPTAINER_NV=1\napptainer exec trl.sif python"), "job.sbatch"),
        Good(_job("docker run --gpus all own/trl python"), "job.sbatch"),
        Good(_job("docker run --runtime=nvidia own/trl python"), "job.sbatch"),
        Good(_job("docker run $OPTIONS own/trl python"), "job.sbatch"),
        Good(_job("docker run own/trl python", "-N 1"), "job.sbatch"),
        Good(_job("srun --container-image=own/trl python"), "job.sbatch"),
        Good(_job("python"), "job.sbatch"),
    ),
)
