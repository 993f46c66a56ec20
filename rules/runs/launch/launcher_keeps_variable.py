"""The launch file sets a variable without exporting it.

`LR=2e-5` on a line of its own sets a variable of the shell only. The script, which reads
`os.environ.get("LR", …)`, does not get it and trains with its own default. There is no error. Nor
does another launch file that this one starts: `$LR` is empty in it.

Remedy: write `export LR=2e-5`, or set it on the line of the command: `LR=2e-5 python train.py`.

Versions: any shell. Not reported: after `set -a`, variables that are exported where trl-doctor
runs, and those that the launcher itself sets (RANK, MASTER_PORT …).

Seen: reproduced with SFT of trl 1.16.0: with `LR=2e-5` in run.sh the log shows the script's default
of 1e-3, with `export LR=2e-5` it shows 2e-5. With bash 5.2 `$LR` is empty in a file that it starts.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.withheld import withheld_from_file, withheld_from_script
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    target = facts.run.target
    for withheld in facts[withheld_from_file]:
        yield Finding(
            place_on_line(target, withheld.line, 1),
            f"{withheld.name} is empty here: what starts this file sets it in line "
            f"{withheld.setting.line}, but does not export it",
            remedy=f"write export {withheld.name}={withheld.setting.text} there",
        )
    for withheld in facts[withheld_from_script]:
        yield Finding(
            place_on_line(target, withheld.setting.line, 1),
            f"{withheld.name} is set, but not exported: {target.path.name} does not get it",
            remedy=f"write export {withheld.name}={withheld.setting.text}",
        )


def _job(setting: str, reads: str = 'os.environ.get("LR", "1e-3")') -> dict[str, Json]:
    script = (
        "import os\nfrom trl import SFTConfig, SFTTrainer\n"
        f"args = SFTConfig('out', learning_rate=float({reads}))\nSFTTrainer('org/m', args=args)\n"
    )
    return {"job.sh": f"#!/bin/bash\n{setting}python train.py\n", "train.py": script}


def _starting(setting: str, own: str = "", line: str = "srun bash run.sh") -> dict[str, Json]:
    script = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
    run = f"{own}python train.py --lr ${{LR:-1e-4}}\n"
    return {"job.sh": f"#!/bin/bash\n{setting}\n{line}\n", "run.sh": run, "train.py": script}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job("LR=2e-5\n"), "job.sh", says="LR is set, but not exported: train.py does not get"),
        Bad(_job("LR=2e-5\n", "os.getenv('LR', 1)"), "job.sh", says="LR is set, but not exported"),
        Bad(
            _starting("LR=2e-5"),
            "job.sh",
            says="LR is empty here: what starts this file sets it in line 2, but does not",
        ),
        Good(_starting("export LR=2e-5"), "job.sh"),
        Good(_starting("LR=2e-5", "LR=1e-5\n"), "job.sh"),
        Good(_starting("LR=2e-5", line="LR=$LR bash run.sh"), "job.sh"),
        Good(_starting("RATE=2e-5"), "job.sh"),
        Good(_starting("LR=2e-5", line="sbatch --export=ALL,LR=$LR run.sh"), "job.sh"),
        Good(_job("export LR=2e-5\n"), "job.sh"),
        Good(_job("LR=2e-5\nexport LR\n"), "job.sh"),
        Good(_job("export LR\nLR=2e-5\n"), "job.sh"),
        Good(_job("set -a\nLR=2e-5\n"), "job.sh"),
        Good(_job("LR=2e-5 "), "job.sh"),
        Good(_job("LR=2e-5\nenv LR=$LR "), "job.sh"),
        Good(_job("RATE=2e-5\n"), "job.sh"),
        Good(_job("RANK=0\n", 'os.environ["RANK"]'), "job.sh"),
    ),
)
