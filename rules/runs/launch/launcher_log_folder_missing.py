"""The folder of Slurm's log is not there.

Slurm opens the files of `--output` and `--error` before the first line of the script runs, and
makes no folder for them. The job fails at once, and there is no log that says why. A `mkdir` in the
script itself comes too late.

Remedy: make the folder before you call `sbatch`, or write the log into a folder that is there.

Versions: Slurm. The rule does not judge folders of another machine, and folders that a file beside
the script makes.

Seen: reproduced with Slurm 22.05: `--output=logs/%j.out` without the folder: "Could not open stdout
file", JobLaunchFailure, exit code 0:53, and no line of the script had run, not even its own
`mkdir -p logs`. The same with `--error`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.log_folders import missing_log_folders
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for log in facts[missing_log_folders]:
        late = f"line {log.made_in} of the script makes it after that"
        yield Finding(
            log.place,
            f"{log.option} names the folder {log.folder}, which is not there: Slurm does not make "
            "it, and the job fails before its first line",
            evidence=(late,) if log.made_in else (),
            remedy=f"run `mkdir -p {log.folder}` before sbatch",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(*lines: str, **more: Json) -> dict[str, Json]:
    text = "\n".join(["#!/bin/bash", *lines, "srun python train.py", ""])
    return {"job.sbatch": text, "train.py": SCRIPT, **more}


OUT = "#SBATCH --output=logs/%j.out"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job(OUT), "job.sbatch", says="--output names the folder logs, which is not there"),
        Bad(_job("#SBATCH --output logs/%x/%j.out"), "job.sbatch", says="names the folder logs"),
        Bad(_job("#SBATCH -e a/b/%j.err", "mkdir -p a/b"), "job.sbatch", says="--error names the"),
        Good(_job(OUT, **{"logs/.gitkeep": ""}), "job.sbatch"),
        Good(_job("#SBATCH --output=%x-%j.out"), "job.sbatch"),
        Good(_job("#SBATCH --output=%x/%j.out"), "job.sbatch"),
        Good(_job("# SBATCH --output=logs/%j.out"), "job.sbatch"),
        Good(_job("echo first", OUT), "job.sbatch"),
        Good(_job(OUT, "#SBATCH --chdir=/scratch/me"), "job.sbatch"),
        Good(_job("#SBATCH --output=/scratch/me/logs/%j.out"), "job.sbatch"),
        Good(_job(OUT, **{"submit.sh": "mkdir -p logs\nsbatch job.sbatch\n"}), "job.sbatch"),
        Good(_job(), "job.sbatch"),
    ),
)
