"""vLLM's server and the trainer use the same GPU.

In server mode NCCL copies the weights from the trainer to the server, and needs a GPU for each. On
one GPU this ends in "Duplicate GPU detected" or "invalid usage", after server and trainer were
loaded.

Remedy: set `vllm_mode: colocate`, which is made for one GPU, or give the server its own GPU with
CUDA_VISIBLE_DEVICES. If the job's GPUs are not in this machine, name their number with `--with
gpu-count==2`.

Versions: trl 0.16.0 on; up to 0.29.1 server is the default mode (and in 0.16 and 0.17 the only
one), from 1.0.0 on it is colocate.

Seen: trl#3158, trl#3446, trl#3706, trl#3762. Not reproduced: that needs two processes on one GPU.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.hardware import COUNT, card_count
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.servers import shared_devices
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine, value

from .._recorded.candidate import RUN_VLLM

HERE = ("0.0.0.0", "localhost", "::", "::1")


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if settings.mode != "server":
        raise NotConcerned("the engine is not a server")
    address = value(facts, settings, "vllm_server_base_url")
    key = "vllm_server_base_url" if address else "vllm_server_host"
    host = _host(str(address)) if address else str(value(facts, settings, key))
    near = host in HERE or host.startswith("127.")
    found = shared_devices(facts.run.target)
    if found and (near or found[0].service):
        server, both = found
        yield Finding(
            place_on_line(facts.run.target, server.line, server.column),
            f"the server and the training both get GPU {', '.join(sorted(both))}",
            evidence=(f"vllm_mode is server in trl {settings.trl}",),
        )
        return
    several = facts.run.number("num_machines", 1) or 1
    if not near or several > 1:
        raise NotConcerned(
            "the server is on another machine than the trainer, or there are several machines"
        )
    count, training = facts[card_count], facts.run.processes or 1
    if count == training:
        yield Finding(
            facts.run.place("vllm_mode" if "vllm_mode" in facts.run.arguments else "use_vllm"),
            f"training uses {_all(count)} here, which leaves none for vLLM's server on {host}",
            evidence=(f"vllm_mode is server in trl {settings.trl}",),
        )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address


def _all(count: int) -> str:
    return "the only GPU" if count == 1 else f"all {count} GPUs"


SERVER: dict[str, Json] = {**RUN_VLLM, "vllm_mode": "server"}
DEFAULT: dict[str, Json] = {key: value for key, value in RUN_VLLM.items() if key != "vllm_mode"}
SCRIPT = (
    "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer('org/m', reward_funcs=len, "
    "args=GRPOConfig('o', use_vllm=True, vllm_mode='server'))\n"
)


def _job(before: str, serves: str) -> dict[str, Json]:
    devices = "export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-1}"
    lines = [before, f"{serves}trl vllm-serve --model org/m &", devices, "python train.py"]
    return {"job.sh": "\n".join(lines) + "\n", "train.py": SCRIPT}


DEVICES = "    deploy: {{resources: {{reservations: {{devices: [{{device_ids: {}}}]}}}}}}\n"


def _compose(server: str, own: str) -> dict[str, Json]:
    vllm = f"  vllm:\n    command: trl vllm-serve --model org/m\n{DEVICES.format(server)}"
    train = f"  train:\n    command: python train.py\n{DEVICES.format(own)}"
    return {"compose.yaml": f"services:\n{vllm}{train}", "train.py": SCRIPT}


def _recipes(server: str, own: str, more: str = "") -> dict[str, Json]:
    """A justfile, in which the server is started by a recipe of its own."""
    serve = f"serve:\n    CUDA_VISIBLE_DEVICES={server} trl vllm-serve --model org/m\n{more}"
    train = f"train:\n    CUDA_VISIBLE_DEVICES={own} torchrun --nproc_per_node=2 train.py\n"
    return {"justfile": f"{serve}\n{train}", "train.py": SCRIPT}


OTHER = "\nserve-judge:\n    CUDA_VISIBLE_DEVICES=3 trl vllm-serve --model org/j\n"
ONE = {"trl": "1.16.0", COUNT: "1"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SERVER},
            versions=ONE,
            says="training uses the only GPU here, which leaves none for vLLM's server on 0.0.0.0",
        ),
        Bad({"run.json": DEFAULT}, versions={**ONE, "trl": "0.24.0"}, says="the only GPU"),
        Bad({"run.json": DEFAULT}, versions={**ONE, "trl": "0.17.0"}, says="the only GPU"),
        Bad(
            {
                "run.json": {
                    **SERVER,
                    "vllm_server_base_url": "http://localhost:8000",
                    "num_processes": 8,
                }
            },
            versions={**ONE, COUNT: "8"},
            says="training uses all 8 GPUs here, which leaves none for vLLM's server on localhost",
        ),
        Bad(
            _job("export CUDA_VISIBLE_DEVICES=0,1", ""),
            "job.sh",
            versions=ONE,
            says="the server and the training both get GPU 0, 1",
        ),
        Bad(
            _compose('["0"]', '["1", "0"]'),
            "compose.yaml",
            versions=ONE,
            says="the server and the training both get GPU 0",
        ),
        Good(_compose('["0"]', '["1", "2"]'), "compose.yaml", versions={**ONE, COUNT: "8"}),
        Bad(
            _recipes("1", "0,1"),
            "justfile",
            versions=ONE,
            says="the server and the training both get GPU 1",
        ),
        Good(_recipes("2", "0,1"), "justfile", versions={**ONE, COUNT: "8"}),
        Good(_recipes("1", "0,1", OTHER), "justfile", versions={**ONE, COUNT: "8"}),
        Good(_job("", "CUDA_VISIBLE_DEVICES=0 "), "job.sh", versions={**ONE, COUNT: "8"}),
        Good({"run.json": {**SERVER, "num_processes": 7}}, versions={**ONE, COUNT: "8"}),
        Good({"run.json": {**SERVER, "vllm_server_host": "10.0.0.7"}}, versions=ONE),
        Good({"run.json": DEFAULT}, versions=ONE),
        Good({"run.json": RUN_VLLM}, versions=ONE),
    ),
)
