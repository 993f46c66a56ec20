"""A file of DeepSpeed is given as accelerate's config file.

`accelerate launch --config_file` reads a file of its own, with `distributed_type`. It refuses the
keys of DeepSpeed, and the job ends before it has started a process.

Remedy: start with `accelerate launch --use_deepspeed --deepspeed_config_file ds.json`. Or write
`distributed_type: DEEPSPEED` into a file of accelerate, and name the DeepSpeed file in its
`deepspeed_config`, as `deepspeed_config_file`.

Versions: every accelerate.

Seen: reproduced with accelerate 1.15.0: "A `distributed_type` must be specified in the config
file"; with the two lines of the remedy it reads the file.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import accelerate_settings, is_of_deepspeed
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    file = facts[accelerate_settings]
    if is_of_deepspeed(file):
        yield Finding(
            file.whole,
            f"{file.whole.file.name} is a file of DeepSpeed: accelerate does not know its keys, "
            "and refuses it",
            remedy="start with `--use_deepspeed --deepspeed_config_file` in place of "
            "`--config_file`",
        )


def _files(settings: dict[str, Json]) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "accelerate_config": "ds.json"}
    return {"run.json": run, "ds.json": dict(settings)}


DS: dict[str, Json] = {"zero_optimization": {"stage": 3}, "train_batch_size": "auto"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"`distributed_type` must be specified",
    examples=(
        Bad(_files(DS), says="ds.json is a file of DeepSpeed: accelerate does not know its keys"),
        Good(_files({"distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 3}})),
        Good(_files({"num_processes": 2})),
    ),
)
