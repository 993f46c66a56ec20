"""The folder that the job goes to does not have its script.

The launch file goes to a folder (`cd sub`, `working-directory`, `--working-dir` of Ray), and names
the script as it is seen from another one. The job ends at once: "can't open file". The check has
read the script of that name from the other folder.

Remedy: name the script as it is seen from the folder that the file goes to, or do not go there.

Versions: any shell. The rule does not judge folders of another machine or of a container, folders
that a command or a variable names, `..`, and files that an earlier line may make.

Seen: reproduced with Python 3.11: "can't open file '…/sub/sub/train.py': [Errno 2] No such file or
directory"; so it ends with `ray job submit --working-dir sub -- python sub/train.py` of Ray 2.60.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.elsewhere import lacking_folder
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
    lacking = lacking_folder(target)
    if lacking is None:
        return
    if why := uncertain(facts, lacking.name):
        raise Unavailable(why)
    yield Finding(
        place_of_line(target),
        f"the line starts in {lacking.folder}/, which has no {lacking.name}",
        evidence=(f"{lacking.read} was read instead",),
        remedy=f"name the script as it is seen from {lacking.folder}/",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(*lines: str, **more: Json) -> dict[str, Json]:
    return {"job.sh": "\n".join(["#!/bin/bash", *lines, ""]), "sub/train.py": SCRIPT, **more}


WORKFLOW = (
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n    - run: python {}\n"
    "      working-directory: sub\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _job("cd sub", "python sub/train.py"),
            "job.sh",
            says="the line starts in sub/, which has no sub/train.py",
        ),
        Bad(
            {".github/workflows/a.yml": WORKFLOW.format("sub/train.py"), "sub/train.py": SCRIPT},
            ".github/workflows/a.yml",
            says="has no sub/train.py",
        ),
        Bad(
            _job("ray job submit --working-dir sub -- python sub/train.py"),
            "job.sh",
            says="has no sub/train.py",
        ),
        Good(_job("ray job submit --working-dir sub -- python train.py"), "job.sh"),
        Good(_job("ray job submit --working-dir . -- python sub/train.py"), "job.sh"),
        Good(_job("cd sub", "python train.py"), "job.sh"),
        Good(_job("python sub/train.py"), "job.sh"),
        Good(_job("(cd sub && ls)", "python sub/train.py"), "job.sh"),
        Good(_job("cd sub", "ls", "cd -", "python sub/train.py"), "job.sh"),
        Good(_job("cd sub", "cd ..", "python sub/train.py"), "job.sh"),
        Good(_job("pushd sub", "popd", "python sub/train.py"), "job.sh"),
        Good(_job("cd other", "python sub/train.py"), "job.sh"),
        Good(_job("if ls x; then cd sub; fi", "python sub/train.py"), "job.sh"),
        Good(_job("cd sub", "python ../sub/train.py"), "job.sh"),
        Good(
            _job("cd sub", "cp -r ../sub .", "python sub/train.py"),
            "job.sh",
            skipped="may make sub/train.py itself",
        ),
        Good(_job("A=$PWD", "cd sub", 'cd "$A"', "python sub/train.py"), "job.sh"),
        Good(_job("cd sub && ./serve &", "python sub/train.py"), "job.sh"),
        Good(_job("cd runs", "python -m sub.train", **{"runs/a": ""}), "job.sh"),
        Good(
            {".github/workflows/a.yml": WORKFLOW.format("train.py"), "sub/train.py": SCRIPT},
            ".github/workflows/a.yml",
        ),
    ),
)
