"""vLLM's server and the trainer are on the same GPU.

In server mode the weights go from trainer to server by NCCL, which wants a GPU for each: on one
GPU it ends in "Duplicate GPU detected" or "invalid usage", after server and trainer were loaded.

Remedy: say `vllm_mode: colocate`, which is made for one GPU, or give the server a GPU of its own
with CUDA_VISIBLE_DEVICES. Where the job's GPUs are not in this machine, say `--with gpu-count==2`
to have it judged.

Versions: trl 0.16.0 on; up to 0.29.1 server is the default mode (and in 0.16 and 0.17 the only
one), from 1.0.0 on it is colocate.

Seen: trl#3158, trl#3446, trl#3706, trl#3762. Not made to happen here, for lack of two processes on
a GPU.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.engine import engine, value
from trl_doctor.facts.hardware import COUNT, card_count
from trl_doctor.facts.rule import Bad, Good, Rule

from ._recorded.candidate import RUN_VLLM

HERE = ("0.0.0.0", "localhost", "::", "::1")


def check(facts: Facts) -> Iterator[Finding]:
    found = engine(facts)
    if found.mode != "server":
        raise NotConcerned("the engine is no server's")
    address = value(facts, found, "vllm_server_base_url")
    key = "vllm_server_base_url" if address else "vllm_server_host"
    host = _host(str(address)) if address else str(value(facts, found, key))
    several = facts.run.number("num_machines", 1) or 1
    if not (host in HERE or host.startswith("127.")) or several > 1:
        raise NotConcerned("the server has another machine than the trainer, or there are several")
    count, training = facts[card_count], facts.run.processes or 1
    if count == training:
        yield Finding(
            facts.run.place("vllm_mode" if "vllm_mode" in facts.run.arguments else "use_vllm"),
            f"training takes {_all(count)} here, and leaves none for vLLM's server on {host}",
            evidence=(f"vllm_mode is server in trl {found.trl}",),
        )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address


def _all(count: int) -> str:
    return "the only GPU" if count == 1 else f"all {count} GPUs"


SERVER: dict[str, Json] = {**RUN_VLLM, "vllm_mode": "server"}
DEFAULT: dict[str, Json] = {key: one for key, one in RUN_VLLM.items() if key != "vllm_mode"}
ONE = {"trl": "1.16.0", COUNT: "1"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": SERVER},
            versions=ONE,
            says="training takes the only GPU here, and leaves none for vLLM's server on 0.0.0.0",
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
            says="training takes all 8 GPUs here, and leaves none for vLLM's server on localhost",
        ),
        Good({"run.json": {**SERVER, "num_processes": 7}}, versions={**ONE, COUNT: "8"}),
        Good({"run.json": {**SERVER, "vllm_server_host": "10.0.0.7"}}, versions=ONE),
        Good({"run.json": DEFAULT}, versions=ONE),
        Good({"run.json": RUN_VLLM}, versions=ONE),
    ),
)
