"""Options of Slurm stand below the first command.

Slurm reads the `#SBATCH` lines of a script up to its first command. Those below it, perhaps behind
a `module load` or a `set -e`, are comments: the job gets no GPU that they ask for, and the
partition's own memory and time. There is no message.

Remedy: write all `#SBATCH` lines directly below `#!/bin/bash`.

Versions: Slurm. Not reported: lines of a here-document, which are for another job, and options
that also stand above the first command, with any value.

Seen: the manual of `sbatch` says that it stops at the first line that is neither a comment nor
empty. It is a warning because no Slurm could be run here.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.unread_directives import unread_directives
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[unread_directives]:
        yield Finding(
            found.place,
            f"Slurm does not read {', '.join(found.options)}: line {found.command} above it is a "
            "command",
            remedy=f"move all #SBATCH lines above line {found.command}",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
GPUS = "#SBATCH --gres=gpu:4"


def _job(*lines: str) -> dict[str, Json]:
    text = "\n".join(["#!/bin/bash", *lines, "srun python train.py", ""])
    return {"job.sbatch": text, "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("#SBATCH -J a", "module load cuda", GPUS, "#SBATCH --time 1:00"),
            "job.sbatch",
            says="Slurm does not read --gres=gpu:4, --time=1:00: line 3 above it is a command",
        ),
        Bad(_job("set -e", GPUS), "job.sbatch", says="Slurm does not read --gres=gpu:4"),
        Bad({"a.sh": f"#!/bin/bash\nset -e\n{GPUS}\npython t.py\n", "t.py": SCRIPT}, "a.sh",
            says="Slurm does not read --gres=gpu:4"),
        Good(_job("#SBATCH -J a", "", "# site", GPUS, "set -e"), "job.sbatch"),
        Good(_job(GPUS, "set -e", GPUS), "job.sbatch"),
        Good(_job(GPUS, "set -e", "#SBATCH --gres=gpu:8"), "job.sbatch"),
        Good(_job(GPUS, "set -e", "##SBATCH --mem=1G", "# SBATCH --mem=1G"), "job.sbatch"),
        Good(
            _job(GPUS, "sbatch <<EOF", "#!/bin/bash", "#SBATCH --mem=9G", "hostname", "EOF"),
            "job.sbatch",
        ),
        Good(_job(GPUS, "cat > a.sh << 'END'", "#SBATCH --mem=9G", "END"), "job.sbatch"),
        Good({"a.sh": "cd .\nsbatch <<E\n#SBATCH -N 2\nE\npython t.py\n", "t.py": SCRIPT}, "a.sh"),
    ),
)  # fmt: skip
