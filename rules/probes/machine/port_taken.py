"""Another program uses a port that the run needs.

Several machines connect at one port of the first machine, and TRL uses another port for vLLM's
server. If another program uses the port, the launcher refuses to start, or TRL waits for the server
forever: the GPUs wait, and nothing is logged.

Remedy: end the other program, or choose another port (`main_process_port` of accelerate,
`vllm_server_port`, `vllm_group_port`).

Versions: every release. Examined only on the machine that has the run's libraries, for ports of
this machine.

Seen: reproduced with a program that listens there. `trl sft`, trl 1.16.0, accelerate with
num_machines 2: "ConnectionError: Tried to launch distributed communication on port"; with a free
port it waits for the other machine. What TRL's client does at a port of another program was read
from its source only, so that is a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, launcher, this_machine

LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "::1")


def check(facts: Facts) -> Iterator[Finding]:
    meeting, server = _meeting(facts), _server(facts)
    if not meeting and not server:
        raise NotConcerned("the run needs no port of this machine")
    machine = this_machine(facts)
    if meeting and machine.listener(meeting):
        yield Finding(
            facts.run.place("accelerate_config"),
            f"port {meeting}, at which the machines of the run connect, is already in use",
        )
    if server and (listener := machine.listener(server)) not in ("", "vllm", "silent"):
        kind = "no vLLM server" if listener == "http" else "no web server"
        yield Finding(
            facts.run.place("vllm_server_port"),
            f"{kind} listens at port {server}, where the run expects vLLM's",
            severity="warning",
        )


def _meeting(facts: Facts) -> int | None:
    """The port at which several machines meet, where this is the first of them."""
    arguments = facts[launcher]
    if (_whole(arguments.get("num_machines")) or 1) < 2 or _whole(arguments.get("machine_rank")):
        return None
    return _whole(arguments.get("main_process_port")) or 29500


def _server(facts: Facts) -> int | None:
    """The port of vLLM's server, where that is on this machine."""
    run = facts.run
    if not run.flag("use_vllm") or _mode(facts) != "server":
        return None
    if run.arguments.get("vllm_server_base_url"):
        return None
    if run.arguments.get("vllm_server_host", "0.0.0.0") not in LOCAL:
        return None
    return int(run.number("vllm_server_port") or 8000)


def _mode(facts: Facts) -> Json:
    """`colocate` or `server`, as the run says or as its release has it."""
    trainer, mode = facts.run.trainer, facts.run.arguments.get("vllm_mode")
    if mode or isinstance(trainer, Unavailable):
        return mode
    field = accepted(facts.environment, trainer).fields.get("vllm_mode")
    return field.default.strip("'\"") if field and field.default else None


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


TWO: dict[str, Json] = {"num_machines": 2, "machine_rank": 0, "main_process_port": 29555}
RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "accelerate_config": "two.yaml",
}
SERVED: dict[str, Json] = {
    "trainer": "grpo",
    "model_name_or_path": "m",
    "use_vllm": True,
    "vllm_mode": "server",
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, "two.yaml": TWO},
            machine=Surroundings(listening={29555: "other"}),
            says="port 29555, at which the machines of the run connect, is already in use",
        ),
        Bad(
            {"run.json": SERVED},
            machine=Surroundings(listening={8000: "http"}),
            says="no vLLM server listens at port 8000",
            severity="warning",
        ),
        Good({"run.json": RUN, "two.yaml": TWO}, machine=Surroundings(listening={})),
        Good(
            {"run.json": RUN, "two.yaml": {**TWO, "machine_rank": 1}},
            machine=Surroundings(listening={29555: "other"}),
        ),
        Good({"run.json": SERVED}, machine=Surroundings(listening={8000: "vllm"})),
        Good(
            {"run.json": {**SERVED, "vllm_server_host": "10.0.0.7"}},
            machine=Surroundings(listening={8000: "http"}),
        ),
        Good(
            {"run.json": {**SERVED, "vllm_mode": "colocate"}},
            machine=Surroundings(listening={8000: "http"}),
        ),
        Good({"run.json": SERVED}, skipped="no answers of probes"),
    ),
)
