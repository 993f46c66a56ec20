"""Two trainings of one machine meet at the same port.

The processes of a training meet at a port of their machine. accelerate and DeepSpeed take 29500 if
none is given. If a launch file starts two trainings at the same time (`… &`), the second one finds
the port taken: "the server socket has failed to listen", EADDRINUSE.

Remedy: give each its own port: `--main_process_port 29501` for accelerate, `--master_port` for
torchrun and deepspeed. `torchrun --standalone` looks for a free one.

Versions: accelerate, torchrun with `--master_port`, deepspeed. Not reported: files of accelerate,
and trainings on other nodes or in containers.

Seen: reproduced with accelerate 1.15.0, started twice at once: one of the two ends with
"DistNetworkError: The server socket has failed to listen on any local network address", and with a
port for each both train. accelerate looks for a free port only if the other one listens already.
So it is with torchrun of torch 2.13.0 and `--master_port`; without the option both train. Not run
with deepspeed.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.ports import same_port
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    if found := facts[same_port]:
        yield Finding(
            found.place,
            f"port {found.port} is also that of {found.shown}, which runs at the same time",
            remedy=f"give this one another port with {found.option}",
        )


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
ONE = "CUDA_VISIBLE_DEVICES=0,1 accelerate launch --num_processes 2 train.py --a 1"
TWO = "CUDA_VISIBLE_DEVICES=2,3 accelerate launch --num_processes 2{} train.py --a 2"
TORCHRUN = "torchrun --nproc_per_node 2{} train.py --a {}"


def _job(*lines: str) -> dict[str, Json]:
    return {"job.sh": "\n".join(["#!/bin/bash", *lines, "wait", ""]), "train.py": SCRIPT}


def _loop(port: str) -> dict[str, Json]:
    line = f"  accelerate launch --num_processes 2{port} train.py --a $i > $i.log &"
    return _job("for i in 1 2; do", line, "done")


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _job(f"{ONE} &", f"{TWO.format('')} &"),
            "job.sh:3",
            says="port 29500 is also that of line 2, which runs at the same time",
        ),
        Bad(
            _job(
                f"{TORCHRUN.format(' --master_port 2950', 1)} > a.log 2>&1 &",
                TORCHRUN.format(" --master_port 2950", 2),
            ),
            "job.sh:3",
            says="port 2950 is also that of line 2",
        ),
        Good(_job(f"{ONE} &", f"{TWO.format(' --main_process_port 29501')} &"), "job.sh:3"),
        Good(_job(f"{ONE} &", "wait", f"{TWO.format('')} &"), "job.sh:4"),
        Good(_job(ONE, f"{TWO.format('')} &"), "job.sh:3"),
        Good(_job(f"{TORCHRUN.format('', 1)} &", f"{TORCHRUN.format('', 2)} &"), "job.sh:3"),
        Good(_job(f"srun -N1 {ONE} &", f"srun -N1 {TWO.format('')} &"), "job.sh:3"),
        Good(_loop(" --main_process_port 2950$i"), "job.sh"),
        Good(_job(f"{ONE} && echo done", TWO.format("")), "job.sh:3"),
    ),
)
