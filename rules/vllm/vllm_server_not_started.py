"""The run needs a vLLM server, and starts none itself.

With `vllm_mode` server, which is the default of older releases, the trainer generates nothing
itself: it asks a server that somebody has started before. Without one it waits for
`vllm_server_timeout` seconds after the models were loaded, and ends: "The vLLM server can't be
reached".

Remedy: start `trl vllm-serve --model …` on GPUs of its own before the training, or set `vllm_mode`
to colocate: then the training processes generate. `trl-doctor check --vllm-server URL` checks a
server that runs.

Versions: trl 0.16.0 on, where a server can be asked; colocate exists since 0.18.0, and is the
default of 1.0.0 and newer. A note, as the server may be started elsewhere; a warning where a Slurm
or shell script starts the training, names this machine as the server's, and nothing of vLLM.

Seen: open-rs#8, open-r1#568. Reproduced with trl 1.16.0 and vLLM 0.32.0 for the CPU: GRPO with
`use_vllm` and `vllm_mode` server ends after the timeout; with `use_vllm` false it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.servers import HERE, host_of, of_recipes, silent_about, started_servers
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import Engine, engine, value

MODE, ADDRESS = "vllm_mode", "vllm_server_base_url"


def check(facts: Facts) -> Iterator[Finding]:
    settings, target = engine(facts), facts.run.target
    if settings.mode != "server":
        raise NotConcerned("the run uses no vLLM server")
    if facts.run.vllm_server:
        raise NotConcerned("the server is asked itself (--vllm-server)")
    if started_servers(target) or of_recipes(target):
        raise NotConcerned("its launch file starts a vLLM server")
    at = _address(facts, settings)
    alone = host_of(at) in HERE and silent_about(target, "vllm")
    default = facts.run.arguments.get(MODE) is None
    why = f": without {MODE}, trl {settings.trl} asks a server" if default else ""
    starts = f"`{target.launched_by.name}` starts none" if alone and target.launched_by else ""
    policy = facts.run.models.get("policy")
    yield Finding(
        facts.run.place("use_vllm" if default else MODE),
        f"the run needs a vLLM server at {at}{why}" + (f", and {starts}" if starts else ""),
        severity="warning" if alone else None,
        remedy=f"start `trl vllm-serve --model {policy.name if policy else 'MODEL'}` before it"
        + (f", or set {MODE} to colocate" if MODE in settings.fields else ""),
    )


def _address(facts: Facts, settings: Engine) -> str:
    stated = value(facts, settings, ADDRESS) if ADDRESS in settings.fields else None
    if stated:
        return str(stated)
    host = value(facts, settings, "vllm_server_host")
    return f"http://{host}:{value(facts, settings, 'vllm_server_port')}"


RUN: dict[str, Json] = {"trainer": "grpo", "model_name_or_path": "org/m", "use_vllm": True}
SERVER: dict[str, Json] = {**RUN, MODE: "server"}
JOB = "#!/bin/bash\n#SBATCH --nodes=1\n{before}trl grpo --config run.json\n"
NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.17.0"}
RULE = Rule(
    doc=__doc__,
    severity="note",
    check=check,
    explains="vLLM server can't be reached",
    examples=(
        Bad(
            {"run.json": SERVER},
            versions=NEW,
            says="the run needs a vLLM server at http://0.0.0.0:8000",
        ),
        Bad(
            {"run.json": RUN},
            versions=OLD,
            says="http://0.0.0.0:8000: without vllm_mode, trl 0.17.0 asks a server",
        ),
        Bad(
            {"run.json": {**SERVER, ADDRESS: "http://node3:8010"}, "job.sh": JOB.format(before="")},
            "job.sh",
            versions=NEW,
            says="a vLLM server at http://node3:8010",
            severity="note",
        ),
        Bad(
            {"run.json": SERVER, "job.sh": JOB.format(before="")},
            "job.sh",
            versions=NEW,
            says="at http://0.0.0.0:8000, and `job.sh` starts none",
            severity="warning",
        ),
        Bad(
            {"run.json": SERVER, "job.sh": JOB.format(before="bash start_vllm.sh &\n")},
            "job.sh",
            versions=NEW,
            says="at http://0.0.0.0:8000",
            severity="note",
        ),
        Good(
            {"run.json": SERVER, "job.sh": JOB.format(before="trl vllm-serve --model org/m &\n")},
            "job.sh",
            versions=NEW,
        ),
        Good({"run.json": {**RUN, MODE: "colocate"}}, versions=NEW),
        Good({"run.json": RUN}, versions=NEW),
        Good({"run.json": {**SERVER, "use_vllm": False}}, versions=NEW),
    ),
)
