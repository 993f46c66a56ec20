"""accelerate refuses the settings of FSDP.

Some settings need another setting, some values belong to the other version of FSDP, and some are
unknown to accelerate. The processes read them when they create the trainer: each has loaded the
libraries and the model by then.

Remedy: write what the finding names.

Versions: every accelerate; this rule does not report settings that the installed release does not
know. A whole number in `fsdp_version` counts since accelerate 1.6.

Seen: reproduced with accelerate 1.15.0: "`activation_checkpointing_offload=True` requires
`activation_checkpointing=True`" and "… `fsdp_version=2`", "FSDP2 does not support
LOCAL_STATE_DICT", "invalid truth value full_shard", "Could not find the transformer layer class
['LlamaDecoderLayer'] in the model" (a list), "set `--fsdp_sync_module_states` to `True`" (also if
only that is false), "Invalid auto wrap policy". `--fsdp_sync_module_states false` on the command
line is not refused: accelerate sets it to true.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import Settings, options_of_launcher
from trl_doctor.facts.launch.fsdp import FALSE, PART, TRUE, fsdp_file, route, setting, text, version
from trl_doctor.facts.library.accelerate import keys_of_accelerate
from trl_doctor.facts.rule import Bad, Good, Rule

STRATEGIES = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2")
WORDS: Mapping[str, tuple[str, ...]] = {
    "auto_wrap_policy": ("TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", "NO_WRAP"),
    "state_dict_type": ("FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"),
    "backward_prefetch": ("BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"),
    "version": ("1", "2"),
}
"""Values that settings can have; case does not count."""

OF_VERSION_1: Mapping[str, tuple[str, ...]] = {
    "sharding_strategy": (*STRATEGIES, "1", "2", "3", "4", "5"),
}
"""The same for version 1 of FSDP; version 2 passes over it."""

SWITCHES = ("offload_params", "activation_checkpointing", "activation_checkpointing_offload")
SWITCHES_OF_VERSION_1 = ("forward_prefetch", "use_orig_params", "sync_module_states")
RESHARD, LAYERS = "reshard_after_forward", "transformer_layer_cls_to_wrap"
OFFLOAD, CHECKPOINTING = "activation_checkpointing_offload", "activation_checkpointing"
LOADING, SYNC = "cpu_ram_efficient_loading", "sync_module_states"


def check(facts: Facts) -> Iterator[Finding]:
    file = fsdp_file(facts)
    first = version(file) == "1"
    for key, words in {**WORDS, **(OF_VERSION_1 if first else {})}.items():
        yield from _words(file, key, words)
    for key in (*SWITCHES, *(SWITCHES_OF_VERSION_1 if first else (RESHARD,))):
        yield from _switch(file, key)
    if "fsdp_" + OFFLOAD in keys_of_accelerate(facts.environment).fsdp:
        yield from _offload(file)
    if not first and text(file, "state_dict_type") == "local_state_dict":
        problem = "version 2 of FSDP does not support LOCAL_STATE_DICT"
        yield _finding(file, "state_dict_type", problem, "write SHARDED_STATE_DICT")
    loading = file.get(*route(file, LOADING), default=True)
    is_option = f"fsdp_{SYNC}" in options_of_launcher(facts)  # as a text, which is true
    if not is_option and setting(file, SYNC) is False and loading not in (False, None):
        how = "" if setting(file, LOADING) else " by default"
        problem = f"fsdp_{SYNC} is false while fsdp_{LOADING} is true{how}"
        yield _finding(file, SYNC, problem, f"set fsdp_{SYNC}: true")
    yield from _layers(file)


def _words(file: Settings, key: str, words: tuple[str, ...]) -> Iterator[Finding]:
    value = setting(file, key)
    if value is None or isinstance(value, dict | list) or str(value).upper() in words:
        return
    suggestions = similar(str(value).upper(), words)
    remedy = (
        f"did you mean {suggestions[0]}?" if suggestions else f"write one of {', '.join(words)}"
    )
    yield _finding(file, key, f"fsdp_{key} cannot be {value}", remedy)


def _switch(file: Settings, key: str) -> Iterator[Finding]:
    value = text(file, key)
    if value and value not in (*TRUE, *FALSE):
        problem = f"fsdp_{key} cannot be {setting(file, key)}"
        remedy = "write true or false"
        if key == RESHARD and value.upper() in STRATEGIES:
            problem += " with version 2 of FSDP"
            remedy = f"write {'true' if value == 'full_shard' else 'false'}"
        yield _finding(file, key, problem, remedy)


def _offload(file: Settings) -> Iterator[Finding]:
    if text(file, OFFLOAD) not in TRUE:
        return
    if text(file, CHECKPOINTING) not in TRUE:
        problem = f"fsdp_{OFFLOAD} is on, and fsdp_{CHECKPOINTING} is not"
        yield _finding(
            file, OFFLOAD, problem, f"set fsdp_{CHECKPOINTING}: true, or remove the first"
        )
    elif version(file) != "2":
        problem = f"fsdp_{OFFLOAD} needs version 2 of FSDP"
        yield _finding(file, OFFLOAD, problem, f"set fsdp_version: 2, or remove fsdp_{OFFLOAD}")


def _layers(file: Settings) -> Iterator[Finding]:
    value = setting(file, LAYERS)
    if text(file, "auto_wrap_policy") != "transformer_based_wrap":
        return
    names = [str(name) for name in value] if isinstance(value, list) else str(value).split(",")
    if isinstance(value, list) or any(name != name.strip() for name in names):
        form = "a list" if isinstance(value, list) else "written with spaces"
        problem = (
            f"fsdp_{LAYERS} is {form}, and accelerate looks for a layer with exactly this name"
        )
        right = ",".join(name.strip() for name in names)
        yield _finding(file, LAYERS, problem, f"write {right}, with commas and no spaces")


def _finding(file: Settings, key: str, message: str, remedy: str) -> Finding:
    return Finding(
        file.place(*route(file, key)), f"{message}: accelerate refuses it", remedy=remedy
    )


def _files(**settings: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "accelerate_config": "acc.yaml"}
    return {"run.json": run, "acc.yaml": {"distributed_type": "FSDP", PART: settings}}


ON: dict[str, Json] = {"fsdp_activation_checkpointing_offload": True}
POLICY: dict[str, Json] = {"fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}


SCRIPT = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
LINE = "accelerate launch --config_file acc.yaml --fsdp_sync_module_states false train.py\n"


def _wrapped(names: Json) -> dict[str, Json]:
    return _files(**POLICY, fsdp_transformer_layer_cls_to_wrap=names)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Invalid auto wrap policy|activation_checkpointing_offload=True` requires"
    r"|FSDP2 does not support LOCAL|invalid truth value|fsdp_cpu_ram_efficient_loading` set",
    examples=(
        Bad(_files(auto_wrap_policy="TRANSFORMER_WRAP"), says="cannot be TRANSFORMER_WRAP"),
        Bad(_files(fsdp_sharding_strategy="FULL"), says="cannot be FULL"),
        Bad(_files(fsdp_offload_params="tru"), says="fsdp_offload_params cannot be tru"),
        Bad(_files(**ON), says="fsdp_activation_checkpointing is not: accelerate refuses it"),
        Bad(_files(**ON, activation_checkpointing=True), says="needs version 2 of FSDP"),
        Bad(
            _files(fsdp_version=2, fsdp_state_dict_type="LOCAL_STATE_DICT"),
            says="version 2 of FSDP does not support LOCAL_STATE_DICT",
        ),
        Bad(
            _files(fsdp_version=2, fsdp_reshard_after_forward="FULL_SHARD"),
            says="fsdp_reshard_after_forward cannot be FULL_SHARD with version 2 of FSDP",
        ),
        Bad(
            _files(fsdp_sync_module_states=False, fsdp_cpu_ram_efficient_loading=True),
            says="fsdp_sync_module_states is false while fsdp_cpu_ram_efficient_loading is true:",
        ),
        Bad(_files(fsdp_sync_module_states=False), says="is true by default: accelerate refuses"),
        Bad(_wrapped(["A", "B"]), says="cls_to_wrap is a list, and accelerate"),
        Bad(_wrapped("A, B"), says="cls_to_wrap is written with spaces"),
        Good(_files(**ON, activation_checkpointing="yes", fsdp_version="2")),
        Good(_files(fsdp_sharding_strategy="FULL", fsdp_version=2)),
        Good(_wrapped("A,B")),
        Good(_files(auto_wrap_policy="size_based_wrap")),
        Good(_files(sync_module_states=False, cpu_ram_efficient_loading=False)),
        Good({**_files(**POLICY), "train.py": SCRIPT, "job.sh": LINE}, "job.sh"),
        Good(_files(fsdp_reshard_after_forward="SHARD_GRAD_OP", fsdp_offload_params="no")),
    ),
)
