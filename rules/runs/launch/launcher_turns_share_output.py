"""Several runs of one loop or array write to the same folder.

A line in a loop, or in an array of jobs, starts a training for each value, and all of them have
the same `output_dir`. Each one writes its checkpoints and its model over those of the one before.
Tasks of an array that run at the same time mix their files.

Remedy: put the value into the folder's name: `--output_dir out/lr-$LR`, or
`out/$SLURM_ARRAY_TASK_ID`.

Versions: every release. Not reported: launch files that copy, move or upload something, runs that
save nothing, and arrays whose tasks run one at a time (`%1`) and start the same.

Seen: reproduced with SFT of trl 1.16.0 in a loop over two learning rates: behind it there is one
`out/checkpoint-2`, and its weights are those of the second run.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.facts.launch.turns import shared_output
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if not (shared := facts[shared_output]):
        return
    yield Finding(
        place_of_line(facts.run.target),
        f"output_dir {shared.output} is also that of {shared.others}: each run writes over the "
        "files of the others",
        remedy="put a value that differs into its name, for example "
        f"{shared.output}-${shared.name}",
    )


SCRIPT = (
    "import argparse\nfrom trl import SFTConfig, SFTTrainer\np = argparse.ArgumentParser()\n"
    "p.add_argument('--lr', type=float, default=1e-5)\np.add_argument('--out', default='out')\n"
    "p.add_argument('--save', default='steps')\n"
    "a = p.parse_args()\n"
    "args = SFTConfig(a.out, learning_rate=a.lr, save_strategy=a.save)\n"
    "SFTTrainer('org/m', args=args).train()\n"
)
ARRAY = "#!/bin/bash\n#SBATCH --array=0-3{}\npython train.py{}\n"


def _job(more: str = "", before: str = "") -> dict[str, Json]:
    loop = f"for lr in 1e-5 2e-5; do\n  python train.py --lr $lr{more}\ndone\n"
    return {"job.sh": f"#!/bin/bash\n{before}{loop}", "train.py": SCRIPT}


def _array(limit: str = "", more: str = "") -> dict[str, Json]:
    return {"job.sbatch": ARRAY.format(limit, more), "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _array(),
            "job.sbatch",
            says="output_dir out is also that of the other tasks of the array",
        ),
        Bad(_job(), "job.sh", says="output_dir out is also that of line 3 (lr=1e-5): each run"),
        Good(_array("%1"), "job.sbatch"),
        Good(_array("", " --out out/$SLURM_ARRAY_TASK_ID"), "job.sbatch"),
        Good(_array("", "\ncp -r out /keep"), "job.sbatch"),
        Good(_array("", " --save no"), "job.sbatch"),
        Good(_job(" --out out/$lr"), "job.sh"),
    ),
)
