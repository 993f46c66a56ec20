"""Two files configure DeepSpeed.

If DeepSpeed has a file of its own, accelerate accepts no other settings for it: if accelerate's
file has a stage, a precision or an accumulation too, each process stops with "When using
`deepspeed_config_file`, the following accelerate config variables will be ignored".
`mixed_precision: 'no'` counts as well.

Remedy: keep DeepSpeed's file, and remove these keys from accelerate's. Or remove DeepSpeed's file
from the run.

Versions: every accelerate; tested with the oldest and the newest, 0.34.2 and 1.15.0.

Seen: reproduced with SFT of trl 1.16.0 (DeepSpeed 0.19.8) and 0.15.2 (0.15.4), with
`deepspeed_config_file` and with the run's own `deepspeed`. Without the keys both train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    Settings,
    accelerate_file,
    accelerate_settings,
    deepspeed_settings,
    options_of_launcher,
)
from trl_doctor.facts.rule import Bad, Good, Rule

TWICE = (
    *("zero_stage", "gradient_accumulation_steps", "gradient_clipping", "offload_optimizer_device"),
    *("offload_param_device", "offload_optimizer_nvme_path", "offload_param_nvme_path"),
    "zero3_save_16bit_model",
)
"""Keys of `deepspeed_config` that DeepSpeed's own file has too."""


def check(facts: Facts) -> Iterator[Finding]:
    file, own = facts[accelerate_file], facts[deepspeed_settings]
    if facts[accelerate_settings].get("distributed_type") != "DEEPSPEED":
        raise NotConcerned("accelerate's file does not ask for DeepSpeed")
    routes: list[tuple[str, ...]]
    routes = [("deepspeed_config", key) for key in TWICE if key in file.part("deepspeed_config")]
    stated = file.get("mixed_precision") is not None
    if stated and "mixed_precision" not in options_of_launcher(facts):
        routes.append(("mixed_precision",))
    if routes:
        yield _finding(file, own, routes)


def _finding(file: Settings, own: Settings, routes: list[tuple[str, ...]]) -> Finding:
    names = " and ".join(keys[-1] for keys in routes[:3])
    others = f" and {len(routes) - 3} more" if len(routes) > 3 else ""
    return Finding(
        file.place(*routes[0]),
        f"{names}{others} of {file.name} cannot be set beside DeepSpeed's own settings "
        f"({own.name}): accelerate refuses that",
        remedy=f"remove {names}{others} from {file.name}, or {own.name} from the run",
    )


def _files(settings: dict[str, Json], **arguments: Json) -> dict[str, Json]:
    acc: Json = {"distributed_type": "DEEPSPEED", **settings}
    run: dict[str, Json] = {
        "trainer": "sft",
        "model_name_or_path": "m",
        "accelerate_config": "acc.yaml",
    }
    return {
        "run.json": {**run, **arguments},
        "acc.yaml": acc,
        "ds.json": {"zero_optimization": {"stage": 3}},
    }


NAMED: dict[str, Json] = {"deepspeed_config": {"deepspeed_config_file": "ds.json"}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="the following accelerate config variables will be ignored",
    examples=(
        Bad(
            _files({"deepspeed_config": {"deepspeed_config_file": "ds.json", "zero_stage": 3}}),
            says="zero_stage of acc.yaml cannot be set beside DeepSpeed's own settings (ds.json)",
        ),
        Bad(
            _files({**NAMED, "mixed_precision": "no"}),
            says="mixed_precision of acc.yaml cannot be set beside",
        ),
        Bad(_files({"mixed_precision": "bf16"}, deepspeed="ds.json"), says="mixed_precision of"),
        Good(_files(NAMED)),
        Good(_files({"mixed_precision": "bf16", "deepspeed_config": {"zero_stage": 3}})),
        Good(
            {
                **_files({}, deepspeed="ds.json"),
                "acc.yaml": {"distributed_type": "MULTI_GPU", "mixed_precision": "bf16"},
            }
        ),
    ),
)
