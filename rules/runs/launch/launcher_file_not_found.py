"""The launcher's file does not exist.

`accelerate launch` stops before it starts a process if it does not find its file, and so does
`trl` without its run file, and a script whose `TrlParser` does not find it. If the file of
DeepSpeed is missing, which the line or accelerate's file names, each process starts and loads the
libraries before it fails.

Remedy: correct the path. A relative path starts at the folder in which the job is started.

Versions: every release. A file of a ConfigMap that is mounted elsewhere is a warning. The rule does
not report paths on another machine, or files that the job may create itself.

Seen: reproduced with accelerate 1.15.0 and SFT of trl 1.16.0: "The passed configuration file
`acc.yaml` does not exist", "Expected a string path to an existing deepspeed config"; `trl sft`
ends with "FileNotFoundError".
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.launch.config_maps import mounted_elsewhere
from trl_doctor.facts.launch.files import accelerate_settings, options_of_launcher
from trl_doctor.facts.launch.launch_line import config_file, place_of_line, run_file
from trl_doctor.facts.launch.named_files import is_here, is_there, uncertain
from trl_doctor.facts.rule import Bad, Good, Rule

DEEPSPEED = "deepspeed_config_file"
LATE = "each process fails when it reads DeepSpeed's settings"


def check(facts: Facts) -> Iterator[Finding]:
    yield from _inside(facts)
    launch, launcher = facts.run.target.launch, facts.run.target.launched_by
    if launch is None or launcher is None:
        raise NotConcerned("no launch line starts this run")
    if there := mounted_elsewhere(facts, config_file(launch)):
        name = config_file(launch)
        yield Finding(
            place_of_line(facts.run.target),
            f"--config names {name}, but the container has this file of the ConfigMap in {there}",
            severity="warning",
            remedy=f"write --config {there}/{Path(name).name}",
        )
    code = facts.run.file.data if isinstance(facts.run.file, Document) else b""
    program = f"trl {launch.command}" if launch.command else Path(launch.script).name
    files = {
        "--config_file": (launch.accelerate, "accelerate launch stops"),
        f"--{DEEPSPEED}": (options_of_launcher(facts).get(DEEPSPEED, ""), LATE),
        "--config": (run_file(launch, code), f"{program} stops"),
    }
    stated = {option: entry for option, entry in files.items() if entry[0]}
    if not stated:
        raise NotConcerned("the launch line names no file of its own")
    unsure = ""
    for option, (name, dies) in stated.items():
        if is_there(facts.run.target, name):
            continue
        if why := uncertain(facts, name):
            unsure = why
            continue
        place = place_of_line(facts.run.target)
        yield Finding(place, f"{option} names {name}, which was not found: {dies}")
    if unsure:
        raise Unavailable(unsure)


def _inside(facts: Facts) -> Iterator[Finding]:
    """The file of DeepSpeed that accelerate's file names."""
    try:
        file = facts[accelerate_settings]
    except Unavailable:
        return
    name, launcher = file.get("deepspeed_config", DEEPSPEED), facts.run.target.launched_by
    is_deepspeed = isinstance(name, str) and name and file.get("distributed_type") == "DEEPSPEED"
    if not isinstance(name, str) or not is_deepspeed or DEEPSPEED in options_of_launcher(facts):
        return
    unsure = uncertain(facts, name) if launcher else Path(name).is_absolute()
    if not is_here(facts, name) and not unsure:
        message = f"{DEEPSPEED} names {name}, which was not found: {LATE}"
        yield Finding(file.place("deepspeed_config", DEEPSPEED), message)


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"


def _job(line: str, before: str = "") -> dict[str, Json]:
    return {"job.sh": f"#!/bin/bash\n{before}{line} train.py\n", "train.py": SCRIPT}


POD = """apiVersion: v1
kind: ConfigMap
metadata: {name: runs}
data:
  a.yaml: |
    model_name_or_path: org/m
    output_dir: /work/out
---
apiVersion: v1
kind: Pod
metadata: {name: sft}
spec:
  containers:
  - name: sft
    image: own/image
    command: [trl, sft, --config, PATH]
    volumeMounts: [{name: runs, mountPath: /etc/train}, {name: work, mountPath: /work}]
  volumes:
  - {name: runs, configMap: {name: runs}}
  - {name: work, persistentVolumeClaim: {claimName: work}}
"""


INSIDE = POD.replace("    image:", "    workingDir: /app\n    image:")


def _parsing(name: str) -> dict[str, Json]:
    """A script that gives a run file to TRL's parser."""
    code = (
        "from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser\n"
        "args, model = TrlParser((SFTConfig, ModelConfig)).parse_args_and_config()\n"
        "SFTTrainer(model.model_name_or_path, args=args)\n"
    )
    return {"job.sh": f"python train.py --config {name}\n", "train.py": code}


PARSING = "python train.py --config runs/a.yaml"


def _with(name: str) -> Json:
    return {"distributed_type": "DEEPSPEED", "deepspeed_config": {DEEPSPEED: name}}


LINE = "accelerate launch --config_file"
RUN: dict[str, Json] = {"model_name_or_path": "org/m", "output_dir": "out"}
ACC: dict[str, Json] = {"distributed_type": "MULTI_GPU", "num_processes": 2}
MAKES = "cat > acc.yaml <<EOF\ndistributed_type: MULTI_GPU\nEOF\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Expected a string path to an existing deepspeed config",
    examples=(
        Bad(_job(f"{LINE} acc.yaml"), "job.sh", says="--config_file names acc.yaml, which was not"),
        Bad(_job(f"{LINE} $ACC", "ACC=acc.yaml\n"), "job.sh", says="--config_file names acc.yaml"),
        Bad(
            _job(f"accelerate launch --use_deepspeed --{DEEPSPEED} ds.json"),
            "job.sh",
            says="--deepspeed_config_file names ds.json, which was not found: each process fails",
        ),
        Bad(
            {**_job(f"{LINE} acc.yaml"), "acc.yaml": _with("ds.json")},
            "job.sh",
            says="deepspeed_config_file names ds.json, which was not found: each process fails",
        ),
        Bad(
            {
                "run.json": {"trainer": "sft", "accelerate_config": "acc.yaml"},
                "acc.yaml": _with("ds.json"),
            },
            says="deepspeed_config_file names ds.json",
        ),
        Good({**_job(f"{LINE} acc.yaml"), "acc.yaml": ACC}, "job.sh"),
        Good({**_job(f"{LINE} acc.yaml"), "acc.yaml": _with("ds.json"), "ds.json": {}}, "job.sh"),
        Good({**_job(f"{LINE} acc.yaml"), "acc.yaml": _with("/no/such/here/ds.json")}, "job.sh"),
        Good(_job(f"{LINE} acc.yaml", MAKES), "job.sh", skipped="job.sh may make acc.yaml itself"),
        Good(_job(f"{LINE} /no/such/here/acc.yaml"), "job.sh", skipped="the job runs on"),
        Bad(
            {"job.sh": "trl sft --config runs/a.yml\n", "runs/a.yaml": RUN},
            "job.sh",
            says="--config names runs/a.yml, which was not found: trl sft stops",
        ),
        Bad(
            {**_parsing("runs/a.yml"), "runs/a.yaml": RUN},
            "job.sh",
            says="--config names runs/a.yml, which was not found: train.py stops",
        ),
        Good({**_parsing("runs/a.yaml"), "runs/a.yaml": RUN}, "job.sh"),
        Good(_parsing("/no/such/here/a.yaml"), "job.sh", skipped="the job runs on"),
        Good(
            {**_parsing("runs/a.yaml"), "job.sh": f"docker run own/image {PARSING}\n"},
            "job.sh",
            skipped="may be a file of the image",
        ),
        Good(
            {**_parsing("runs/a.yaml"), "Dockerfile": f"FROM own\nCOPY b runs\nCMD {PARSING}\n"},
            "Dockerfile",
            skipped="may be a file of the image",
        ),
        Bad(
            {
                **_parsing("runs/a.yaml"),
                "job.sh": f"docker run -v $PWD:/w -w /w own/image {PARSING}\n",
            },
            "job.sh",
            says="--config names runs/a.yaml, which was not found",
        ),
        Good({"job.sh": "trl sft --config runs/a.yaml\n", "runs/a.yaml": RUN}, "job.sh"),
        Good({"job.sh": "trl sft --config $RUN\n"}, "job.sh"),
        Bad(
            {"job.yaml": POD.replace("PATH", "/runs/a.yaml")},
            "job.yaml",
            says="but the container has this file of the ConfigMap in /etc/train",
            severity="warning",
        ),
        Bad(
            {"job.yaml": INSIDE.replace("PATH", "train/a.yaml")},
            "job.yaml",
            says="but the container has this file of the ConfigMap in /etc/train",
            severity="warning",
        ),
        *(
            Good(
                {"job.yaml": INSIDE.replace("/app", folder).replace("PATH", name)},
                "job.yaml",
                skipped="itself, in a line before",
            )
            for folder, name in (("/etc", "train/a.yaml"), ("/work", "train/a.yaml"))
        ),
        Good({"job.yaml": INSIDE.replace("PATH", "runs/a.yaml")}, "job.yaml", skipped="before"),
        Good({"job.yaml": POD.replace("PATH", "/etc/train/a.yaml")}, "job.yaml"),
        Good({"job.yaml": POD.replace("PATH", "/work/a.yaml")}, "job.yaml"),
        Good(
            {"job.sh": "python make.py a.yaml\ntrl sft --config a.yaml\n"},
            "job.sh",
            skipped="job.sh may make a.yaml itself",
        ),
        Good(_job(f"{LINE} /tmp/acc.yaml"), "job.sh", skipped="the job runs on"),
    ),
)
