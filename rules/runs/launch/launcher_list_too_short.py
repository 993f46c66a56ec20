"""A task of the array finds no word in its list.

Slurm starts a task for each number of `--array`, and the script takes a word of a list by this
number. A list of bash begins with 0: with three words and `--array=1-3` the last task finds
nothing, and the first word is never used. The shell puts nothing in its place, and reports no
error. So it is with the fifth node of a list, `${NODES[4]}`, in a job of four nodes.

Remedy: count from 0, `--array=0-2`, or take `${LIST[$((SLURM_ARRAY_TASK_ID - 1))]}`.

Versions: Slurm, with lists that the script itself contains, and lists of its nodes by `scontrol
show hostnames`.

Seen: reproduced with bash 5.2: `A=(x y z); echo "[${A[3]}]"` prints `[]`, and `trl sft --config ""`
of trl 1.16.0 then ends with "No such file or directory".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.lists import LackingNode, lacking_node, lacking_words
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if node := _of_nodes(facts):
        yield Finding(
            node.place,
            f"{node.name} has no word {node.number}: the job has {node.nodes} nodes, with the "
            f"numbers 0 to {node.nodes - 1}",
            remedy=f"ask for {node.number + 1} nodes, or take another word",
        )
    for lack in facts[lacking_words]:
        yield Finding(
            lack.place,
            f"task {lack.task} of the array finds nothing in {lack.name}: its {lack.count} words "
            f"have the numbers 0 to {lack.count - 1}",
            remedy=f"write --array=0-{lack.count - 1}",
        )


def _of_nodes(facts: Facts) -> LackingNode | None:
    try:
        return facts[lacking_node]
    except NotConcerned:
        return None


JOB = "#!/bin/bash\n#SBATCH --array={}\nRATES=(1e-6 2e-6 5e-6)\npython train.py --lr {}\n"
SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
WORD = "${RATES[$SLURM_ARRAY_TASK_ID]}"


def _job(tasks: str, word: str = WORD) -> dict[str, Json]:
    return {"job.sbatch": JOB.format(tasks, word), "train.py": SCRIPT}


def _nodes(count: int) -> dict[str, Json]:
    lists = 'NODES=($(scontrol show hostnames "$SLURM_JOB_NODELIST"))'
    line = 'python train.py --vllm_server_host "${NODES[4]}"'
    return {"job.sbatch": f"#!/bin/bash\n#SBATCH -N {count}\n{lists}\n{line}\n", "train.py": SCRIPT}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("3"),
            "job.sbatch",
            says="task 3 of the array finds nothing in RATES: its 3 words have the numbers 0 to 2",
        ),
        Bad(
            _nodes(4),
            "job.sbatch",
            says="NODES has no word 4: the job has 4 nodes, with the numbers 0 to 3",
        ),
        Good(_nodes(5), "job.sbatch", skipped=""),
        Good(_job("0-2"), "job.sbatch"),
        Good(_job("2", f"{WORD} ${{RATES[7]}}"), "job.sbatch"),
        Good({"job.sh": "A=(1)\npython train.py ${A[3]}\n", "train.py": SCRIPT}, "job.sh"),
    ),
)
