"""The script resumes from a folder that the run never writes.

The script asks whether there is a checkpoint in `runs/dpo`, and the trainer writes to
`/shared/runs/dpo`, or to `runs/dpo-` with the time behind it. There is never a checkpoint, so a job
that starts again trains from the beginning. There is no error.

Remedy: give `get_last_checkpoint` the same name as `output_dir`, best a variable for both.

Versions: every transformers. Reported are folders whose last part is the same, and those whose name
the output's begins with. Not reported: a folder that is there, that the launch file names or that
another call may write to, and a script that does not ask first whether the folder is there: it may
go on from another run.

Seen: reproduced with SFT of trl 1.16.0: the second start of a script that looks in `runs/a` and
writes to `work/runs/a` begins at step 0; with one name for both it goes on from its checkpoint.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.other_folders import looked_for_elsewhere
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    for other in facts[looked_for_elsewhere]:
        yield Finding(
            other.place,
            f"a checkpoint is looked for in {other.looked}, and the run writes to {other.written}: "
            "it never resumes",
            remedy="name the same folder in both places",
        )


IMPORTS = "import os, time\nfrom transformers.trainer_utils import get_last_checkpoint\n"


def _resuming(
    looked: str, output: str, asks: str = "if os.path.isdir({0}) else None", more: str = ""
) -> dict[str, str]:
    lines = f"{IMPORTS}{more}last = get_last_checkpoint({looked}) {asks.format(looked)}\n"
    files = script("SFT", "model='org/m'", before=lines)
    text = files["train.py"].rstrip().replace("SFTConfig('out'", f"SFTConfig({output}")
    return {"train.py": f"{text}.train(resume_from_checkpoint=last)\n"}


OURS = "out = f'/ck/sft-{time.time()}'\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _resuming("'runs/a'", "'/shared/runs/a'"),
            "train.py",
            says="looked for in runs/a, and the run writes to /shared/runs/a: it never resumes",
        ),
        Bad(
            _resuming("'/ck/sft'", "out", more=OURS),
            "train.py",
            says="looked for in /ck/sft, and the run writes to /ck/sft-…",
        ),
        Bad(_resuming("'runs/a'", "'runs/a/lr1'"), "train.py", says="writes to runs/a/lr1"),
        Good(_resuming("'runs/a'", "'runs/a/'"), "train.py"),
        Good(_resuming("'runs/stage1'", "'runs/stage2'"), "train.py"),
        Good(_resuming("'runs/a'", "'/shared/runs/a'", ""), "train.py"),
        Good(_resuming("out", "out", more="out = 'runs/a'\n"), "train.py"),
        Good({**_resuming("'runs/a'", "'b/runs/a'"), "runs/a/b": ""}, "train.py"),
        Good(
            _resuming("'runs/a'", "'b/runs/a'", more="os.symlink('b/runs/a', 'runs/a')\n"),
            "train.py",
        ),
        Good(
            {
                **_resuming("'runs/a'", "'/shared/runs/a'"),
                "job.sh": "ln -sfn /shared/runs/a runs/a\npython train.py\n",
            },
            "job.sh",
        ),
        Good(_resuming("cli.out", "'runs/a'"), "train.py"),
    ),
)
