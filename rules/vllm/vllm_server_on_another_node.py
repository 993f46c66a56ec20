"""The trainer looks for its vLLM server on its own node.

A job of Slurm starts `trl vllm-serve` on one node and the trainer on the others. `vllm_server_host`
is not set, so the trainer asks its own node, waits for `vllm_server_timeout` seconds, and ends:
"The vLLM server can't be reached".

Remedy: hand the name of the server's node to the script, and set `vllm_server_host` to it.

Versions: trl 0.16.0 on. Reported is only a job whose two lines of `srun` choose nodes of one array
by their numbers (`-w`, `--nodelist`).

Seen: reproduced with the client of trl 1.16.0 and no server on its own machine: "ConnectionError:
The vLLM server can't be reached"; no Slurm was run.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.node_lists import server_elsewhere
from trl_doctor.facts.launch.servers import HERE
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine, value

HOST = "vllm_server_host"
OWN = (*HERE, "", None)


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if settings.mode != "server":
        raise NotConcerned("the run uses no vLLM server")
    if value(facts, settings, "vllm_server_base_url"):
        raise NotConcerned("vllm_server_base_url says where the server is")
    host = value(facts, settings, HOST)
    if host in OWN and (place := server_elsewhere(facts.run.target)):
        yield Finding(
            place,
            f"the server runs on a node without a trainer, which looks for it on its own: {HOST} "
            f"is {host}",
            remedy=f"set {HOST} to the name of the server's node",
        )


SCRIPT = (
    "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer('org/m', reward_funcs=len, "
    "args=GRPOConfig('o', use_vllm=True, vllm_mode='server'{}))\n"
)


def _job(server: str, own: str, given: str = "", more: str = ":") -> dict[str, Json]:
    lines = [
        "#!/bin/bash",
        "#SBATCH --nodes=3",
        "NODES=($(scontrol show hostnames a))",
        "LAST=${NODES[2]}",
        f"srun -w {server} trl vllm-serve --model org/m &",
        more,
        f"srun -w {own} torchrun train.py",
        "",
    ]
    return {"job.sbatch": "\n".join(lines), "train.py": SCRIPT.format(given)}


SAYS = "the server runs on a node without a trainer, which looks for it on its own"
HEAD, BOTH, LAST = "${NODES[0]}", '"${NODES[@]:0:2}"', '"${NODES[2]}"'
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_job('"$LAST"', f'"{HEAD},${{NODES[1]}}"'), "job.sbatch", versions=TRL, says=SAYS),
        Bad(_job(LAST, HEAD), "job.sbatch", versions=TRL, says=SAYS),
        Bad(_job(LAST, BOTH), "job.sbatch", versions=TRL, says=SAYS),
        Good(_job(LAST, HEAD, ", vllm_server_host='gpu3'"), "job.sbatch", versions=TRL),
        Good(
            _job(LAST, HEAD, ", vllm_server_base_url='http://a:8000'"), "job.sbatch", versions=TRL
        ),
        Good(
            _job(LAST, HEAD, more="ssh -fNL 8000:b:8000 a"),
            "job.sbatch",
            versions=TRL,
        ),
        Good(_job(HEAD, HEAD), "job.sbatch", versions=TRL),
        Good(_job("${NODES[1]}", BOTH), "job.sbatch", versions=TRL),
        Good(_job(LAST, '"$TRAINERS"'), "job.sbatch", versions=TRL),
    ),
)
