"""DeepSpeed conflicts with another argument of the run.

Some arguments of the Trainer need things that DeepSpeed does not allow: a batch size that can still
change, an optimizer of the Trainer's own. The run stops when the trainer is built, or at its first
step.

Remedy: do what the finding names; usually use stage 2, or remove the argument.

Versions: transformers 4.48 to 5.23, trainers that use the loop of transformers (not PPO).

Seen: reproduced with SFT of trl 1.16.0, transformers 5.23.0 and DeepSpeed 0.19.8, the first also
with 0.15.2, 4.48.3 and 0.15.4: "`auto_find_batch_size` isn't supported yet with DeepSpeed Zero-3",
"DeepSpeed can't be used with `save_only_model` along with `load_best_model_at_end`", "Using --fsdp
xxx together with --deepspeed is not possible", "adam_update(): incompatible function arguments"
(Adafactor with an offloaded optimizer). Without the argument the same run trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.files import (
    LOOP,
    accelerate_settings,
    deepspeed_settings,
    zero_stage,
)
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

OFFLOADING = (
    (deepspeed_settings, ("zero_optimization", "offload_optimizer", "device")),
    (accelerate_settings, ("deepspeed_config", "offload_optimizer_device")),
)
"""Where it is written that the optimizer is kept in main memory."""

FAILING = ("adafactor",)
"""Values of `optim` whose arguments DeepSpeed's Adam for the CPU takes over, and fails on."""


def check(facts: Facts) -> Iterator[Finding]:
    run, stage = facts.run, zero_stage(facts)
    if stage is None:
        raise NotConcerned("the run does not use DeepSpeed")
    if known_trainer(facts) not in LOOP:
        raise NotConcerned("this trainer has a loop of its own, or is not known")
    if run.flag("auto_find_batch_size") and stage == 3:
        yield Finding(
            run.place("auto_find_batch_size"),
            "auto_find_batch_size cannot be used with ZeRO-3: the run is refused",
            remedy="set auto_find_batch_size: false, or use stage 2",
        )
    if run.flag("save_only_model") and run.flag("load_best_model_at_end"):
        yield Finding(
            run.place("save_only_model"),
            "save_only_model cannot be used with load_best_model_at_end and DeepSpeed: the run is "
            "refused",
            remedy="set save_only_model: false",
        )
    if run.arguments.get("fsdp") and facts.get(deepspeed_settings):
        yield Finding(
            run.place("fsdp"),
            "the run asks for both FSDP and DeepSpeed: it is refused",
            remedy="keep one of fsdp and deepspeed",
        )
    yield from _optimizer(facts)


def _optimizer(facts: Facts) -> Iterator[Finding]:
    optim = facts.run.arguments.get("optim")
    if optim not in FAILING:
        return
    for settings_of, keys in OFFLOADING:
        try:
            settings = facts[settings_of]
        except Unavailable:
            continue
        forced = settings.get("zero_force_ds_cpu_optimizer") is not False
        if settings.get(*keys) == "cpu" and "optimizer" not in settings.value and forced:
            yield Finding(
                facts.run.place("optim"),
                f"optim: {optim} cannot be used with an optimizer in main memory "
                f"({'.'.join(keys)} of {settings.name}): the first step fails",
                remedy="set optim: adamw_torch, or keep the optimizer on the GPU",
            )
            return


def _files(stage: int, **arguments: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json", **arguments}
    off: Json = {"device": "cpu"}
    zero: Json = {"stage": stage, "offload_optimizer": off}
    return {"run.json": run, "ds.json": {"zero_optimization": zero}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"isn't supported yet with DeepSpeed Zero-3|DeepSpeed can't be used with `save_only"
    r"|--fsdp xxx together with --deepspeed",
    examples=(
        Bad(_files(3, auto_find_batch_size=True), says="cannot be used with ZeRO-3"),
        Bad(
            _files(2, save_only_model=True, load_best_model_at_end=True),
            says="save_only_model cannot be used with load_best_model_at_end and DeepSpeed",
        ),
        Bad(_files(2, fsdp="full_shard"), says="the run asks for both FSDP and DeepSpeed"),
        Bad(_files(2, optim="adafactor"), says="optim: adafactor cannot be used with an optimizer"),
        Good(_files(2, auto_find_batch_size=True)),
        Good(_files(3, save_only_model=True, optim="adamw_torch")),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m", "fsdp": "full_shard"}}),
    ),
)
