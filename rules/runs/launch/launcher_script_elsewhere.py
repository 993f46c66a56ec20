"""What the launch file starts is only in a folder above it.

A relative path of a job starts at the folder in which the job is submitted. If the file is neither
there nor beside the launch file, the job ends at once: "can't open file". The check has read the
file of that name in a folder above, which may be another one.

Remedy: start the job in the folder that has the file, or correct the path.

Versions: any shell. The rule does not report a file in the root of a project (a folder with `.git`,
`pyproject.toml`, a README or the like), from which its jobs are usually started: a note says that.
Nor is a file reported if the launch file names itself, or another file, by its path from there.

Seen: reproduced with `accelerate launch train.py` of accelerate 1.15.0: "can't open file
'…/train.py': [Errno 2] No such file or directory".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.elsewhere import elsewhere
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.named_files import uncertain
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        raise NotConcerned("no launch file starts this run")
    if target.path in facts.run.moved.values():
        raise NotConcerned("it is the copy on which a repair is tried")
    found = elsewhere(target)
    if found is None or found.root or not found.shell:
        return
    if why := uncertain(facts, found.name):
        raise Unavailable(why)
    yield Finding(
        place_of_line(target),
        f"{found.name} is not in {found.expected}: {found.read} was read",
        remedy=f"start the job in {found.above}, or correct the path of {found.name}",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(*lines: str, **more: Json) -> dict[str, Json]:
    return {"jobs/job.sh": "\n".join(["#!/bin/bash", *lines, ""]), "train.py": SCRIPT, **more}


LINE = "accelerate launch train.py"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job(LINE), "jobs/job.sh", says="train.py is not in jobs/: "),
        Bad(_job(f"cd $SLURM_SUBMIT_DIR\n{LINE}"), "jobs/job.sh", says="train.py is not in jobs/"),
        Good(_job(LINE, **{"jobs/train.py": SCRIPT}), "jobs/job.sh"),
        Good(_job(LINE, **{"pyproject.toml": ""}), "jobs/job.sh"),
        Good(_job(LINE, **{"README.md": ""}), "jobs/job.sh"),
        Good(_job(f"# bash jobs/job.sh\n{LINE}"), "jobs/job.sh"),
        Good(_job(f"{LINE} --rows data/a.jsonl", **{"data/a.jsonl": "{}"}), "jobs/job.sh"),
        Good(_job(f"source env.sh\n{LINE}"), "jobs/job.sh"),
        Good(_job(f"cd ..\n{LINE}"), "jobs/job.sh"),
        Good(_job(f'cd "$(dirname "$0")/.."\n{LINE}'), "jobs/job.sh"),
        Good(_job(f"cp ../train.py .\n{LINE}"), "jobs/job.sh", skipped="may make train.py itself"),
        Good(_job(f"#SBATCH --chdir=/home/me/p\n{LINE}"), "jobs/job.sh"),
        Good(_job("torchrun ../train.py"), "jobs/job.sh"),
        Good(_job("torchrun /app/train.py"), "jobs/job.sh"),
        Good(
            _job("export PYTHONPATH=src", "python -m own.train", **{"src/own/train.py": SCRIPT}),
            "jobs/job.sh",
        ),
    ),
)
