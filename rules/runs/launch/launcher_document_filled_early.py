"""The variables of a job are filled in where it is submitted.

`sbatch <<EOF` gives a text to Slurm in which the shell has replaced all variables already. Those
of the job (`$SLURM_JOB_NODELIST`, `$SLURM_PROCID`) are empty there: the nodes do not find each
other, or all write to the same folder.

Remedy: write a backslash before those of the job, `\\$SLURM_JOB_ID`, or `<<'EOF'` if nothing in the
text is to be replaced.

Versions: any shell. Not reported: a text that is submitted from within another job.

Seen: reproduced with bash 5.2: `cat <<EOF` with `$SLURM_JOB_ID` in it prints nothing in its place,
with `\\$SLURM_JOB_ID` and with `<<'EOF'` it prints the name.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.documents import filled_early
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for early in facts[filled_early]:
        yield Finding(
            early.place,
            f"${early.name} is filled in where the job is submitted, and is empty there",
            remedy=f"write \\${early.name}",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(text: str, mark: str = "EOF", by: str = "sbatch -N 2") -> dict[str, Json]:
    lines = ["#!/bin/bash", f"{by} <<{mark}", "#!/bin/bash", text, "EOF", ""]
    return {"job.sh": "\n".join(lines), "train.py": SCRIPT}


LINE = "python train.py --out out/$SLURM_JOB_ID"
ESCAPED = LINE.replace("$", "\\$")
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job(LINE), "job.sh", says="$SLURM_JOB_ID is filled in where the job is submitted"),
        Bad(
            _job(f"A=$(scontrol show hostnames ${{SLURM_JOB_NODELIST}})\n{ESCAPED}"),
            "job.sh",
            says="$SLURM_JOB_NODELIST is filled in where",
        ),
        Good(_job(ESCAPED), "job.sh"),
        Good(_job(LINE, by="#SBATCH -N 1\nsbatch -N 2"), "job.sh"),
        Good(_job(LINE, "'EOF'"), "job.sh"),
        Good(_job(f"#SBATCH -J $SLURM_JOB_NAME\n{LINE}", by="srun bash"), "job.sh"),
        Good({"job.sh": "python train.py $SLURM_JOB_ID\n", "train.py": SCRIPT}, "job.sh"),
    ),
)
