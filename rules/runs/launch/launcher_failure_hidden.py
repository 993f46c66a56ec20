"""A pipe or a semicolon hides that the training failed.

A shell takes the end of a pipe for the whole: `python train.py | tee log` succeeds if `tee` does.
A training that ended with an error then counts as done: `set -e` does not stop the script, Slurm
shows the job as COMPLETED, make and CI go on, and what comes next takes an old model or none. So it
is with `bash -c 'python train.py; hf upload …'`, which uploads what an earlier run has left.

Remedy: write `set -o pipefail` at the top of the script (bash); in a Makefile `SHELL := /bin/bash`
and `.SHELLFLAGS := -eu -o pipefail -c`; in a workflow of GitHub `shell: bash`.

Versions: any shell. Reported for files whose end a program reads (Slurm, make, just, GitHub), and
for scripts with `set -e`. It is a note if nothing follows in the script, and no target of the
Makefile needs this one. After `;` only a command that takes the run's output further is reported.

Seen: reproduced with bash 5.2: `set -e; python train.py | tee log; echo next` prints "next" after
an error of the script, and with `set -o pipefail` it does not.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.hidden_failure import hidden_failure
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (hidden := facts[hidden_failure]):
        return
    yield Finding(
        hidden.place,
        f"`{hidden.by}` hides that the training failed: "
        + (f"line {hidden.runs} then runs all the same" if hidden.runs else "the job succeeds"),
        severity="warning" if hidden.runs else "note",
        remedy="write `&&`" if hidden.by == ";" else "write `set -o pipefail` at the top",
    )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
LINE = "accelerate launch \\\n  train.py 2>&1 | tee log.txt"
DONE = "set -e\n{}\nrsync -a out /models\n"


def _job(text: str, name: str = "job.sh", head: str = "#!/bin/bash\n") -> dict[str, Json]:
    return {name: f"{head}{text}\n", "train.py": SCRIPT}


def _workflow(more: str = "") -> dict[str, Json]:
    step = f"    - run: python train.py | tee a\n{more}"
    text = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n{step}"
    return {".github/workflows/a.yml": text, "train.py": SCRIPT}


def _chain(behind: str, before: str = "") -> dict[str, Json]:
    line = f"nohup bash -c '{before}python train.py > log 2>&1{behind}' &"
    return {"job.sh": f"#!/bin/bash\n{line}\n", "train.py": SCRIPT.replace("'out'", "'runs/a'")}


SLURM = "#!/bin/bash\n#SBATCH --nodes=1\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job(DONE.format(LINE)), "job.sh", says="line 5 then runs all the same"),
        Bad(
            _job(LINE, "job.sbatch", SLURM),
            "job.sbatch",
            says="`| tee` hides that the training failed: the job succeeds",
            severity="note",
        ),
        Bad(
            _job("\tpython train.py | tee log", "Makefile", "sft:\n"),
            "Makefile",
            says="the job succeeds",
            severity="note",
        ),
        Bad(_workflow(), ".github/workflows/a.yml", says="the job succeeds", severity="note"),
        Bad(
            _job(
                "\tpython train.py | tee log\npublish: sft\n\thf upload a out", "Makefile", "sft:\n"
            ),
            "Makefile",
            says="line 4 then runs all the same",
        ),
        Bad(
            _chain("; hf upload org/m runs/a"), "job.sh", says="`;` hides that the training failed"
        ),
        Bad(_chain(" ;\n  hf upload org/m runs/a/final"), "job.sh", says="line 3 then runs all"),
        Good(_chain(" && hf upload org/m runs/a"), "job.sh"),
        Good(_chain("; sleep infinity"), "job.sh"),
        Good(_chain("; du -sh runs/a"), "job.sh"),
        Good(_chain("; hf upload org/m runs/a", "set -e; "), "job.sh"),
        Good(_chain("; hf upload org/m runs/b"), "job.sh"),
        Good(_workflow("      shell: bash\n"), ".github/workflows/a.yml"),
        Good(_job(f"set -o pipefail\n{DONE.format(LINE)}"), "job.sh"),
        Good(_job(f"{LINE}\nexit ${{PIPESTATUS[0]}}", "job.sbatch", SLURM), "job.sbatch"),
        Good(_job(DONE.format("nvidia-smi | tee gpus\npython train.py")), "job.sh"),
        Good(_job(LINE), "job.sh"),
    ),
)
