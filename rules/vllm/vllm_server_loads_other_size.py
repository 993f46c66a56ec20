"""The vLLM server loads a model of another size.

The trainer sends its weights to the server before it generates. The server must have the same
model: weights of another size do not fit, and its workers end while the trainer waits for them.

Remedy: start `trl vllm-serve` with the model that is trained.

Versions: trl 0.16.0 on. Only servers count that the same Slurm or shell script, or Compose file,
starts. Names are compared: both must have a size, as `Qwen2.5-7B`.

Seen: not run; it needs a GPU for the server. trl 1.16.0 sends name and shape of each weight, and
vLLM loads them into its own model.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.servers import started_servers
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine

SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([bm])(?![A-Za-z0-9])", re.IGNORECASE)


def check(facts: Facts) -> Iterator[Finding]:
    if engine(facts).mode != "server":
        raise NotConcerned("the run uses no vLLM server")
    servers = started_servers(facts.run.target)
    model = facts.run.models.get("policy")
    own = _size(model.name) if model else ""
    if len(servers) != 1 or model is None:
        raise NotConcerned("its launch file starts no vLLM server")
    (server,) = servers
    if own and _size(server.model) not in ("", own):
        yield Finding(
            place_on_line(facts.run.target, server.line, server.column),
            f"the server loads {server.model}, and {model.name} is trained: its weights do not fit",
            remedy=f"start the server with --model {model.name}",
        )


def _size(name: str) -> str:
    """The size in the name of a model."""
    sizes = SIZE.findall(name.rpartition("/")[2])
    return "".join(sizes[0]).lower() if len(sizes) == 1 else ""


def _job(model: str, own: str = "Qwen/Qwen2.5-7B-Instruct") -> dict[str, Json]:
    run: dict[str, Json] = {"model_name_or_path": own, "use_vllm": True, "vllm_mode": "server"}
    lines = f"trl vllm-serve --model {model} &\ntrl grpo --config run.json\n"
    return {"job.sh": f"#!/bin/bash\n{lines}", "run.json": {**run, "trainer": "grpo"}}


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job("Qwen/Qwen2.5-1.5B-Instruct"),
            "job.sh",
            versions=TRL,
            says="the server loads Qwen/Qwen2.5-1.5B-Instruct, and Qwen/Qwen2.5-7B-Instruct is",
        ),
        Good(_job("Qwen/Qwen2.5-7B-Instruct"), "job.sh", versions=TRL),
        Good(_job("/models/qwen2.5-7b"), "job.sh", versions=TRL),
        Good(_job("/models/start"), "job.sh", versions=TRL),
        Good(_job("$MODEL"), "job.sh", versions=TRL),
        Good(_job("Qwen/Qwen2.5-1.5B", "out/checkpoint-500"), "job.sh", versions=TRL),
    ),
)
