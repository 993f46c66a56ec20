"""The newest checkpoint is looked for by letters.

`ls` and `sort` compare names by their letters: `checkpoint-900` comes after `checkpoint-1000`. A
job that resumes from the last name goes back to an old step, and trains the same steps again each
time it is started.

Remedy: sort by numbers, `ls -d out/checkpoint-* | sort -V | tail -n 1`, or pass
`resume_from_checkpoint=True`: the trainer then takes the one with the highest number.

Versions: any shell. `ls -v`, `ls -t`, `sort -V` and `sort -n` are not reported.

Seen: reproduced with bash 5.2 and coreutils 9.1: of checkpoint-900 and checkpoint-1000 `ls -d
checkpoint-* | sort | tail -n 1` prints the first, with `sort -V` the second.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.last_checkpoint import sorted_by_letters
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[sorted_by_letters]:
        yield Finding(
            found.place,
            "checkpoints are sorted by letters: checkpoint-900 comes after checkpoint-1000",
            (found.command,),
            remedy="sort them by their numbers: sort -V",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(looks: str) -> dict[str, Json]:
    text = f"#!/bin/bash\nLAST=$({looks})\npython train.py --resume $LAST\n"
    return {"job.sh": text, "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("ls -d out/checkpoint-* | sort | tail -n 1"),
            "job.sh",
            says="checkpoints are sorted by letters: checkpoint-900 comes after checkpoint-1000",
        ),
        Bad(_job("ls -d out/checkpoint-* | tail -1"), "job.sh", says="sorted by letters"),
        Bad(
            _job("find out -name 'checkpoint-*' | sort | tail -n1"),
            "job.sh",
            says="sorted by letters",
        ),
        Good(_job("ls -d out/checkpoint-* | sort -V | tail -n 1"), "job.sh"),
        Good(_job("ls -d out/checkpoint-* | sort -t- -k2 -n | tail -n 1"), "job.sh"),
        Good(_job("ls -dv out/checkpoint-* | tail -n 1"), "job.sh"),
        Good(_job("ls -td out/checkpoint-* | head -n 1"), "job.sh"),
        Good(_job("ls -dtr out/checkpoint-* | tail -n 1"), "job.sh"),
        Good(_job("ls logs | sort | tail -n 1"), "job.sh"),
    ),
)
