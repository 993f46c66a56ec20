"""The vLLM server is started on another port or host.

The trainer looks for its server at `vllm_server_port`, which is 8000 if it is not set. If the job
starts `trl vllm-serve` on another port, the trainer waits for `vllm_server_timeout` seconds after
the models were loaded, and ends: "The vLLM server can't be reached".

In a Compose file each service has a network of its own: `localhost` is the trainer's own container.
A Service of Kubernetes answers at its own `port`, whatever the `targetPort` of its pods is.

Remedy: give `--port` of `trl vllm-serve` and `vllm_server_port` the same number, and in a Compose
file `vllm_server_host` the name of the server's service. `port` of a Service of Kubernetes is what
`vllm_server_port` names.

Versions: trl 0.16.0 on. Only servers count that the same Slurm or shell script, or Compose file,
starts with `trl vllm-serve`; if it starts several, one on the right port is enough. The port of a
Service of the same Kubernetes file is a warning; one that is headless is not judged.

Seen: reproduced with the client of trl 1.16.0 and a server on another port: "ConnectionError: The
vLLM server can't be reached"; on the same port it is found.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.facts.launch.servers import (
    HERE,
    PORT,
    host_of,
    in_another_container,
    started_servers,
)
from trl_doctor.facts.launch.services import service_of
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import Engine, engine, value

KEY, ADDRESS, HOST = "vllm_server_port", "vllm_server_base_url", "vllm_server_host"


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if settings.mode != "server":
        raise NotConcerned("the run uses no vLLM server")
    servers = started_servers(facts.run.target)
    yield from _of_service(facts, settings)
    if not servers:
        raise NotConcerned("its launch file starts no vLLM server")
    address = value(facts, settings, ADDRESS)
    host = host_of(str(address)) if address else value(facts, settings, HOST)
    if (other := in_another_container(facts.run.target)) and (host in HERE or not host):
        named = f"{ADDRESS} {address}" if address else f"{HOST} {host}"
        yield Finding(
            place_on_line(facts.run.target, other.line, other.column),
            f"the server runs in the container of {other.service}; the trainer looks in its "
            f"own, at {named}",
            remedy=f"set {HOST} to {other.service}",
        )
        return
    port = _of_address(str(address)) if address else value(facts, settings, KEY)
    if not isinstance(port, int) or any(server.port is None for server in servers):
        raise Unavailable("the port of the vLLM server is not known")
    if all(server.port != port for server in servers):
        server = servers[0]
        named = f"{ADDRESS} {address}" if address else f"{KEY} {port}"
        yield Finding(
            place_on_line(facts.run.target, server.line, server.column),
            f"the server listens on port {server.port}, the trainer looks for it at {named}",
        )


def _of_service(facts: Facts, settings: Engine) -> Iterator[Finding]:
    address = str(value(facts, settings, ADDRESS) or "")
    host = host_of(address) if address else value(facts, settings, HOST)
    service = service_of(facts.run.target, str(host or ""))
    if service is None:
        return
    port = (_given(address) or 80) if address else value(facts, settings, KEY)
    if isinstance(port, int) and port not in service.ports:
        opened = " and ".join(map(str, service.ports))
        named = f"{ADDRESS} {address}" if address else f"{HOST} {host}, {KEY} {port}"
        yield Finding(
            service.place,
            f"the Service {service.name} answers at port {opened}, the trainer asks {named}",
            severity="warning",
        )


def _of_address(address: str) -> Json:
    return _given(address, PORT)


def _given(address: str, default: int | None = None) -> int | None:
    try:
        return urlsplit(address).port or default
    except ValueError:
        return None


SCRIPT = (
    "from trl import GRPOConfig, GRPOTrainer\n"
    "GRPOTrainer('org/m', reward_funcs=len, args=GRPOConfig('o', use_vllm=True, {}))\n"
)


def _job(server: str, given: str = "vllm_mode='server'") -> dict[str, Json]:
    lines = ["#!/bin/bash", f"CUDA_VISIBLE_DEVICES=0 {server} &", "python train.py", ""]
    return {"job.sh": "\n".join(lines), "train.py": SCRIPT.format(given)}


def _compose(given: str = "", more: str = "") -> dict[str, Json]:
    services = f"  vllm:\n    command: {SERVE}\n  train:\n    command: python train.py\n{more}"
    script = SCRIPT.format(f"vllm_mode='server'{given}")
    return {"compose.yaml": f"services:\n{services}", "train.py": script}


def _pods(service: str, given: str) -> dict[str, Json]:
    job = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec:\n"
        f"  selector: {{app: vllm}}\n{service}\n---\napiVersion: v1\nkind: Pod\n"
        "metadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: own\n"
        "    command: [python, train.py]\n"
    )
    return {"job.yaml": job, "train.py": SCRIPT.format(f"vllm_mode='server', {given}")}


OPENED = "  ports: [{port: 80, targetPort: 8000}]"
SERVE = "trl vllm-serve --model org/m"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _job(f"{SERVE} --port 8001"),
            "job.sh",
            versions=TRL,
            says="listens on port 8001, the trainer looks for it at vllm_server_port 8000",
        ),
        Bad(
            _job(SERVE, "vllm_mode='server', vllm_server_port=8001"),
            "job.sh",
            versions=TRL,
            says="the server listens on port 8000",
        ),
        Bad(
            _job(SERVE, "vllm_mode='server', vllm_server_base_url='http://a:80/x'"),
            "job.sh",
            versions=TRL,
            says="the trainer looks for it at vllm_server_base_url http://a:80/x",
        ),
        Bad(
            _compose(),
            "compose.yaml",
            versions=TRL,
            says="the server runs in the container of vllm; the trainer looks in its own",
        ),
        Bad(
            _compose(", vllm_server_host='vllm', vllm_server_port=9"),
            "compose.yaml",
            versions=TRL,
            says="the server listens on port 8000",
        ),
        *(
            Bad(
                _pods(OPENED, given),
                "job.yaml",
                versions=TRL,
                severity="warning",
                says=f"the Service vllm answers at port 80, the trainer asks {says}",
            )
            for given, says in (
                ("vllm_server_host='vllm'", "vllm_server_host vllm, vllm_server_port 8000"),
                ("vllm_server_host='vllm.ns.svc'", "vllm_server_host vllm.ns.svc, vllm_server"),
                (
                    "vllm_server_base_url='http://vllm:8000'",
                    "vllm_server_base_url http://vllm:8000",
                ),
            )
        ),
        *(
            Good(_pods(service, given), "job.yaml", versions=TRL)
            for service, given in (
                (OPENED, "vllm_server_host='vllm', vllm_server_port=80"),
                (OPENED, "vllm_server_base_url='http://vllm'"),
                (OPENED, "vllm_server_host='other'"),
                (f"  clusterIP: None\n{OPENED}", "vllm_server_host='vllm'"),
                ("  ports: [{port: 8000}, {port: 51216}]", "vllm_server_host='vllm'"),
            )
        ),
        Good(_compose(", vllm_server_host='vllm'"), "compose.yaml", versions=TRL),
        Good(_compose("", "    network_mode: host\n"), "compose.yaml", versions=TRL),
        Good(_job(SERVE), "job.sh", versions=TRL),
        Good(
            _job(f"{SERVE} --port=8001", "vllm_mode='server', vllm_server_port=8001"),
            "job.sh",
            versions=TRL,
        ),
        Good(_job(f"{SERVE} --port $PORT"), "job.sh", versions=TRL, skipped="the port of the vLLM"),
        Good(_job(f"{SERVE} $MORE"), "job.sh", versions=TRL, skipped="the port of the vLLM server"),
        Good(_job(f"{SERVE} --port 8001 & {SERVE}"), "job.sh", versions=TRL),
        Good(_job("vllm serve org/judge --port 8001"), "job.sh", versions=TRL),
        Good(_job(f"{SERVE} --port 8001", "vllm_mode='colocate'"), "job.sh", versions=TRL),
    ),
)
