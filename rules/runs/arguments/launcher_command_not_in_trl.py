"""The launch line calls a command that this TRL does not have.

`trl rloo` came with trl 0.22, `trl reward` with 0.24, and `trl vllm-serve`, which starts the server
that generates, with 0.16. An older release ends at once: "argument command: invalid choice". If it
is the server in the background that ends, the training waits for it and then fails.

Remedy: install the release that the finding names, or a newer one. For a trainer without a command
start a script that makes it. Without a server leave `use_vllm` out: the trainer then generates.

Versions: the release is compared with the one in which the command came. It is a warning for the
server, which may have an environment of its own, and if the launch file installs packages.

Seen: trl#3139. Reproduced with `trl rloo --config run.yaml` and `trl vllm-serve --model …` and
trl 0.15.2: both end with status 2; `trl rloo` trains with trl 0.24.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.launch_line import place_of_line, place_on_line
from trl_doctor.facts.launch.servers import started_servers
from trl_doctor.facts.rule import Bad, Good, Rule

SERVES = "vllm-serve"
SINCE = {
    "grpo": "0.14.0", SERVES: "0.16.0", "rloo": "0.22.0", "reward": "0.24.0",
    "distillation": "1.10.0",
}  # fmt: skip
"""The release in which a command came. The others are older than all that matter."""


def check(facts: Facts) -> Iterator[Finding]:
    target = facts.run.target
    launch, servers = target.launch, [one for one in started_servers(target) if not one.apart]
    command = launch.command if launch is not None and launch.command in SINCE else ""
    if launch is None or not (command or servers):
        raise NotConcerned("no launch file starts this run with such a command of TRL")
    version = facts.environment.version("trl")
    if version is None:
        raise Unavailable("the release of trl is not known")
    lacks = {
        name for name, since in SINCE.items() if Version(version.base_version) < Version(since)
    }
    if command in lacks:
        own = facts.environment.own and "trl" not in facts.environment.stated
        place = place_of_line(target)
        yield _finding(place, command, version, "warning" if own else None)
    if servers and SERVES in lacks:
        place = place_on_line(target, servers[0].line, servers[0].column)
        yield _finding(place, SERVES, version, "warning")


def _finding(
    place: Place, command: str, version: Version, severity: Literal["warning"] | None
) -> Finding:
    return Finding(
        place,
        f"trl {version} has no command {command}: `trl {command}` came with trl {SINCE[command]}",
        remedy=f"install trl {SINCE[command]} or newer",
        severity=severity,
    )


RUN: Json = {"model_name_or_path": "org/m", "dataset_name": "org/rows", "output_dir": "out"}
SERVED = "trl vllm-serve --model org/m &\ntrl grpo --config run.json\n"


def _job(text: str) -> dict[str, Json]:
    return {"job.sh": f"#!/bin/bash\n{text}", "run.json": RUN}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _job("trl rloo --config run.json\n"),
            "job.sh",
            versions={"trl": "0.15.2"},
            says="trl 0.15.2 has no command rloo: `trl rloo` came with trl 0.22.0",
        ),
        Bad(
            _job(SERVED),
            "job.sh",
            versions={"trl": "0.15.2"},
            severity="warning",
            says="has no command vllm-serve",
        ),
        Good(_job("trl rloo --config run.json\n"), "job.sh", versions={"trl": "0.22.0"}),
        Good(_job(SERVED), "job.sh", versions={"trl": "0.19.1"}),
        Good(_job(f"docker run served {SERVED}"), "job.sh", versions={"trl": "0.15.2"}),
        Good(_job("trl sft --config run.json\n"), "job.sh", versions={"trl": "0.12.2"}),
    ),
)
