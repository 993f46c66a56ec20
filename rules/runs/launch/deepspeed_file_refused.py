"""DeepSpeed refuses its settings.

The settings are read when the trainer is built or when its model is wrapped: all processes have
started by then, and the data are tokenized. "auto" is filled in by the Trainer for some keys only;
for any other it fails.

Remedy: correct the key or the value. If "auto" is not filled in, leave the key out: DeepSpeed then
uses its default.

Versions: every DeepSpeed; tested with the oldest and the newest, 0.15.4 and 0.19.8. Keys of `bf16`
and `fp16` that it does not know are refused since 0.17. "auto" is examined for trainers that use
the loop of transformers (not PPO).

Seen: reproduced with SFT of trl 0.15.2 (transformers 4.48.3, DeepSpeed 0.15.4) and 1.16.0 (5.23.0,
0.19.8): "1 validation error for DeepSpeedZeroConfig", "`zero_optimization.sub_group_size` not found
in kwargs", "Please specify the ZeRO optimization config". Without these keys the same run trains.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import LOOP, Settings, deepspeed_settings, unreadable
from trl_doctor.facts.library.launcher_keys import OFFLOAD, PRECISION, SECTIONS, ZERO
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

PARTS: Mapping[tuple[str, ...], frozenset[str]] = {
    ("zero_optimization",): ZERO,
    ("zero_optimization", "offload_param"): OFFLOAD,
    ("zero_optimization", "offload_optimizer"): OFFLOAD,
    ("bf16",): PRECISION,
    ("fp16",): PRECISION,
}
"""Parts whose unknown keys DeepSpeed refuses; those at the top it passes over."""

STRICT_PRECISION = (0, 17)
"""From this release on `bf16` and `fp16` have to be without unknown keys."""

FILLED = frozenset(
    {
        *("train_batch_size", "train_micro_batch_size_per_gpu"),
        *("gradient_accumulation_steps", "gradient_clipping", "bf16.enabled"),
        *("fp16.enabled", "bfloat16.enabled", "amp.enabled", "optimizer.params.lr"),
        *("optimizer.params.betas", "optimizer.params.eps"),
        *("optimizer.params.weight_decay", "scheduler.params.warmup_min_lr"),
        *("scheduler.params.warmup_max_lr", "scheduler.params.warmup_num_steps"),
        *("scheduler.params.total_num_steps", "zero_optimization.stage"),
        *("zero_optimization.reduce_bucket_size",),
        *("zero_optimization.stage3_prefetch_bucket_size",),
        *("zero_optimization.stage3_param_persistence_threshold",),
        *("zero_optimization.offload_optimizer.device",),
        *("zero_optimization.offload_param.device",),
        *("zero_optimization.offload_optimizer.nvme_path",),
        *("zero_optimization.offload_param.nvme_path",),
        *("zero_optimization.stage3_gather_16bit_weights_on_model_save",),
    }
)
"""Keys that may be "auto"."""

WORDS = frozenset({"comm_backend_name", "tag_validation", "keep_in_fp32_modules", "log_level"})
"""Keys for which "auto" may be a word of DeepSpeed's own."""

DEVICES = ("none", "cpu", "nvme", "auto")
STAGES = ("0", "1", "2", "3", "auto")
SIZES = ("reduce_bucket_size", "allgather_bucket_size", "sub_group_size")


def check(facts: Facts) -> Iterator[Finding]:
    if problem := unreadable(facts, deepspeed_settings):
        yield Finding(
            Place(problem.path),
            f"{problem}: DeepSpeed cannot read it",
            remedy="write strict JSON: no comments, no comma behind the last value",
        )
        return
    settings = facts[deepspeed_settings]
    if settings.name.endswith((".yaml", ".yml")):
        message = f"{settings.name} is YAML, and DeepSpeed reads JSON only"
        yield Finding(settings.whole, message, remedy="write it as JSON")
        return
    yield from _lacks(settings)
    yield from _unknown_keys(settings, facts)
    yield from _values(settings)
    if known_trainer(facts) in LOOP:
        yield from _not_filled(settings, (), settings.value)


def _lacks(settings: Settings) -> Iterator[Finding]:
    if "zero_optimization" not in settings.value:
        message = "zero_optimization is missing: accelerate refuses the settings"
        remedy = 'write "zero_optimization": {"stage": 2} or another stage'
        yield Finding(settings.whole, message, remedy=remedy)
    sizes = ("train_batch_size", "train_micro_batch_size_per_gpu")
    if not any(name in settings.value for name in sizes):
        message = f"neither {sizes[0]} nor {sizes[1]} is set: DeepSpeed refuses the settings"
        yield Finding(settings.whole, message, remedy=f'write "{sizes[1]}": "auto"')


def _unknown_keys(settings: Settings, facts: Facts) -> Iterator[Finding]:
    release = facts.environment.version("deepspeed")
    lenient = release is not None and release.release[:2] < STRICT_PRECISION
    for route, accepted in PARTS.items():
        if lenient and accepted is PRECISION:
            continue
        for key in settings.part(*route):
            if key in accepted:
                continue
            suggestions = similar(key, accepted)
            yield Finding(
                settings.place(*route, key),
                f"DeepSpeed does not know {'.'.join((*route, key))}, and refuses the settings",
                fix=settings.renamed((*route, key), suggestions[0])
                if similar(key, suggestions, alike=0.8)
                else None,
                remedy=f"did you mean {suggestions[0]}?" if suggestions else f"remove {key}",
            )


def _values(settings: Settings) -> Iterator[Finding]:
    devices = (
        ("zero_optimization", f"offload_{part}", "device") for part in ("param", "optimizer")
    )
    for keys, names in ((("zero_optimization", "stage"), STAGES), *((k, DEVICES) for k in devices)):
        value = settings.get(*keys)
        if value is not None and str(value) not in names:
            shown = ", ".join(name for name in names if name != "auto")
            yield _refused(settings, keys, value, f"write one of {shown}")
    for key in SIZES:
        value = settings.get("zero_optimization", key)
        if isinstance(value, str) and value != "auto" and not value.isdecimal():
            keys = ("zero_optimization", key)
            yield _refused(settings, keys, f'the text "{value}"', "write a number without quotes")


def _refused(settings: Settings, keys: tuple[str, ...], value: Json, remedy: str) -> Finding:
    return Finding(settings.place(*keys), f"{'.'.join(keys)} cannot be {value}", remedy=remedy)


def _not_filled(
    settings: Settings, above: tuple[str, ...], part: Mapping[str, Json]
) -> Iterator[Finding]:
    for key, value in part.items():
        keys = (*above, key)
        if isinstance(value, dict):
            yield from _not_filled(settings, keys, value)
        elif key in WORDS or keys in SECTIONS:
            continue
        elif value == "auto" and ".".join(keys) not in FILLED:
            yield Finding(
                settings.place(*keys),
                f'{".".join(keys)} is "auto", but the Trainer does not fill it in: the run fails',
                remedy=f"write a value, or remove {key}: DeepSpeed then uses its default",
            )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}


def _files(zero: Json, **others: Json) -> dict[str, Json]:
    run: Json = {**RUN, "deepspeed": "ds.json"}
    settings = {"train_micro_batch_size_per_gpu": "auto", "zero_optimization": zero, **others}
    return {"run.json": run, "ds.json": settings}


TWO: Json = {"stage": 2}
ADAMW: Json = {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"validation error for DeepSpeed|not found in kwargs\. Please specify"
    r"|Please specify the ZeRO optimization config"
    r"|train_micro_batch_size_per_gpu needs to be provided",
    examples=(
        Bad(
            _files({"stage": 2, "overlap_com": True}),
            fixed={"ds.json": _files({"stage": 2, "overlap_comm": True})["ds.json"]},
            says="know zero_optimization.overlap_com",
        ),
        Bad(_files({"stage": 4}), says="zero_optimization.stage cannot be 4"),
        Bad(
            _files({"stage": 3, "sub_group_size": "auto"}),
            says='zero_optimization.sub_group_size is "auto", but the Trainer does not',
        ),
        Bad(
            _files({"stage": 3, "offload_param": {"device": "gpu"}}),
            says="zero_optimization.offload_param.device cannot be gpu",
        ),
        Bad(_files({"stage": 2, "reduce_bucket_size": "2e8"}), says='cannot be the text "2e8"'),
        Bad(
            {
                "run.json": {**RUN, "deepspeed": "ds.yaml"},
                "ds.yaml": {"zero_optimization": TWO},
            },
            says="ds.yaml is YAML, and DeepSpeed reads JSON only",
        ),
        Bad(
            _files(TWO, bf16={"enable": True}),
            fixed={"ds.json": _files(TWO, bf16={"enabled": True})["ds.json"]},
            says="DeepSpeed does not know bf16.enable",
        ),
        Bad(
            {**_files(TWO), "ds.json": '{"zero_optimization": {"stage": 2}, // two\n}'},
            says="is not valid JSON",
        ),
        Bad({**_files(TWO), "ds.json": ""}, says="ds.json is empty: DeepSpeed cannot read it"),
        Bad({**_files(TWO), "ds.json": {"train_batch_size": "auto"}}, says="zero_optimization is"),
        Good(_files(TWO, bf16={"enable": True}), versions={"deepspeed": "0.15.4"}),
        Good(_files({"stage": 3, "reduce_bucket_size": "auto"}, optimizer=ADAMW)),
        Good(_files({"stage": "auto", "offload_param": {"device": "auto"}})),
    ),
)
