"""A setting of FSDP has no effect, because of another one.

accelerate ignores some settings without a warning: layers that are named for wrapping without the
policy that reads the names, or settings that only the other version of FSDP reads. Without a policy
the model is one unit: every GPU gathers the whole model at once.

Remedy: write what the finding names, or remove the setting.

Versions: tested with accelerate 1.15.0; version 2 of FSDP exists since 1.6.

Seen: read from the plugin that accelerate 1.15.0 creates from the file, with a Llama: with
`fsdp_transformer_layer_cls_to_wrap` and no `fsdp_auto_wrap_policy` nothing is wrapped, and a name
that the model does not have is not noticed; with version 2 `SHARD_GRAD_OP` and
`fsdp_forward_prefetch` are not there; with version 1 `fsdp_reshard_after_forward: false` leaves
FULL_SHARD. After the remedy each of them has its effect.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings
from trl_doctor.facts.launch.fsdp import FALSE, PART, TRUE, fsdp_file, route, setting, text, version
from trl_doctor.facts.rule import Bad, Good, Rule

POLICY, LAYERS = "auto_wrap_policy", "transformer_layer_cls_to_wrap"
SHARDING, RESHARD = "sharding_strategy", "reshard_after_forward"
BY_LAYERS, BY_SIZE = "TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP"
GATHERED = ("shard_grad_op", "2")
"""The strategy that keeps the weights gathered between forward and backward."""


def check(facts: Facts) -> Iterator[Finding]:
    file = fsdp_file(facts)
    if PART in file.value and not isinstance(file.get(PART), dict | None):
        yield Finding(
            file.place(PART),
            f"{PART} of {file.name} is not a mapping: accelerate ignores it",
            remedy=f"write the settings themselves under {PART}",
        )
        return
    yield from _wrapping(file)
    if version(file) == "2":
        yield from _of_version_1(file)
    elif text(file, RESHARD) in FALSE and text(file, SHARDING) not in GATHERED:
        why = "version 1 of FSDP reads fsdp_sharding_strategy"
        yield _ignored(file, RESHARD, why, "set fsdp_version: 2")


def _wrapping(file: Settings) -> Iterator[Finding]:
    policy, layers = setting(file, POLICY), setting(file, LAYERS)
    least = setting(file, "min_num_params")
    if policy is None and layers:
        why = f"without fsdp_{POLICY} the whole model is one unit"
        yield _ignored(file, LAYERS, why, f"write fsdp_{POLICY}: {BY_LAYERS}")
    elif policy is None and isinstance(least, int) and least > 0:
        why = f"without fsdp_{POLICY} the whole model is one unit"
        yield _ignored(file, "min_num_params", why, f"write fsdp_{POLICY}: {BY_SIZE}")
    elif layers and str(policy).upper() in (BY_SIZE, "NO_WRAP"):
        why = f"fsdp_{POLICY} is {policy}"
        yield _ignored(file, LAYERS, why, f"write {BY_LAYERS}, or remove the layers")


def _of_version_1(file: Settings) -> Iterator[Finding]:
    strategy = text(file, SHARDING)
    if strategy not in ("", "full_shard", "1") and setting(file, RESHARD) is None:
        remedy = "remove it, or use fsdp_version: 1"
        if strategy in GATHERED:
            remedy = f"write fsdp_{RESHARD}: false"
        yield _ignored(file, SHARDING, f"version 2 of FSDP reads fsdp_{RESHARD}", remedy)
    if text(file, "forward_prefetch") in TRUE:
        yield _ignored(file, "forward_prefetch", "version 2 of FSDP does not have it", "remove it")


def _ignored(file: Settings, key: str, why: str, remedy: str) -> Finding:
    keys = route(file, key)
    message = f"{'.'.join(keys)} of {file.name} has no effect: {why}"
    return Finding(file.place(*keys), message, remedy=remedy)


def _files(settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "accelerate_config": "acc.yaml"}
    return {"run.json": run, "acc.yaml": {"distributed_type": "FSDP", PART: settings}}


NAMED: dict[str, Json] = {"fsdp_transformer_layer_cls_to_wrap": "LlamaDecoderLayer"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files(NAMED), says="has no effect: without fsdp_auto_wrap_policy the whole model is"),
        Bad(_files({"min_num_params": 1000}), says="fsdp_config.min_num_params of acc.yaml has no"),
        Bad(
            _files({**NAMED, "fsdp_auto_wrap_policy": "SIZE_BASED_WRAP"}),
            says="has no effect: fsdp_auto_wrap_policy is SIZE_BASED_WRAP",
        ),
        Bad(
            _files({"fsdp_version": 2, "fsdp_sharding_strategy": "SHARD_GRAD_OP"}),
            says="has no effect: version 2 of FSDP reads fsdp_reshard_after_forward",
        ),
        Bad(
            _files({"fsdp_version": 2, "fsdp_forward_prefetch": True}),
            says="has no effect: version 2 of FSDP does not have it",
        ),
        Bad(
            _files({"fsdp_reshard_after_forward": False}),
            says="has no effect: version 1 of FSDP reads fsdp_sharding_strategy",
        ),
        Bad(
            _files("fsdp.json"), says="fsdp_config of acc.yaml is not a mapping: accelerate ignores"
        ),
        Good(_files({**NAMED, "auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "min_num_params": 9})),
        Good(_files({"fsdp_version": 2, "fsdp_sharding_strategy": "FULL_SHARD"})),
        Good(_files({"fsdp_reshard_after_forward": True, "fsdp_forward_prefetch": True})),
        Good(_files({"reshard_after_forward": False, "sharding_strategy": "SHARD_GRAD_OP"})),
        Good(_files(None)),
    ),
)
