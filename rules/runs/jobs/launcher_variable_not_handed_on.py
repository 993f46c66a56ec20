"""A variable is set where the script does not run.

`export DATA=/mnt/data` sets a variable of the machine that calls `ray job submit`. The script runs
on the cluster, which has the variables of its runtime environment only. In the same way a variable
of the first node's container is not one of the second node. `os.environ["DATA"]` then ends the
script with a KeyError, and the other nodes wait until they time out.

Remedy: name it in `env_vars` of `--runtime-env-json`, or give it to each node.

Versions: every Ray; files of YAML that start one script on several nodes (`--nnodes`). Not
reported: variables with a default in the script, `envFrom` and its like, a launch file that starts
the Ray cluster itself or names a file with the runtime environment.

Seen: not tried on a cluster; Ray documents that a job gets the variables of `env_vars`, and those
of the cluster's machines.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.not_handed_on import not_handed_on
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    target = facts.run.target
    for lost in facts[not_handed_on]:
        yield Finding(
            place_on_line(target, lost.line, 1),
            f"{lost.name} is set here, but {lost.why}: {target.path.name} ends with a KeyError",
            remedy=f"give {lost.name} to each machine that runs {target.path.name}",
        )


SCRIPT = (
    "import os\nfrom trl import SFTConfig, SFTTrainer\nrows = {}\n"
    "SFTTrainer('org/m', args=SFTConfig('out'), train_dataset=rows)\n"
)
READS = "os.environ['ROWS']"


def _ray(
    options: str = "", before: str = "export ROWS=/mnt/rows", reads: str = READS
) -> dict[str, Json]:
    line = f"ray job submit {options} -- python train.py"
    return {"job.sh": f"#!/bin/bash\n{before}\n{line}\n", "train.py": SCRIPT.format(reads)}


POOL = (
    "  - replicaCount: 1\n    containerSpec:\n      command: [torchrun, --nnodes=2, "
    "--node_rank={}, train.py]\n{}"
)
HAS = "      env: [{name: ROWS, value: /gcs/rows}]\n"


def _pools(first: str, second: str, reads: str = READS) -> dict[str, Json]:
    text = f"workerPoolSpecs:\n{POOL.format(0, first)}{POOL.format(1, second)}"
    return {"job.yaml": text, "train.py": SCRIPT.format(reads)}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_ray(), "job.sh", says="ROWS is set here, but `ray job submit` hands no variables on"),
        Bad(
            _ray("""--runtime-env-json '{"env_vars": {"HF_HOME": "/x"}}'"""),
            "job.sh",
            says="ROWS is set here",
        ),
        Bad(_pools("", HAS), "job.yaml", says="ROWS is set here, but line 7 has it, this node has"),
        Good(_ray("""--runtime-env-json '{"env_vars": {"ROWS": "/x"}}'"""), "job.sh"),
        Good(_ray("--runtime-env env.yaml"), "job.sh"),
        Good(_ray('--runtime-env-json "$ENV"', "export ROWS=/x\nENV=$(jq -n a)"), "job.sh"),
        Good(_ray(before="export ROWS=/x\nray start --head"), "job.sh"),
        Good(_ray(reads="os.environ.get('ROWS', 'a')"), "job.sh"),
        Good(_ray(reads="os.environ['ROWS'] if 'ROWS' in os.environ else 'a'"), "job.sh"),
        Good(_ray(before="export RAY_ADDRESS=http://a:8265"), "job.sh"),
        Good(
            {"job.sh": "export ROWS=/x\npython train.py\n", "train.py": SCRIPT.format(READS)},
            "job.sh",
        ),
        Good(_pools(HAS, HAS), "job.yaml"),
        Good(_pools("", ""), "job.yaml"),
        Good(_pools("      envFrom: [{secretRef: {name: a}}]\n", HAS), "job.yaml"),
        Good(_pools("      env: [{name: ROWS, valueFrom: {b: c}}]\n", HAS), "job.yaml"),
        Good(_pools("", HAS, "os.environ.get('ROWS')"), "job.yaml"),
    ),
)
