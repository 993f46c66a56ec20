"""DeepSpeed's settings contradict the run's arguments.

The Trainer of transformers compares DeepSpeed's settings with the run's own, and refuses the run if
one differs: "Please correct the following DeepSpeed config values that mismatch TrainingArguments
values". By then all processes have started and loaded the model. The settings are DeepSpeed's file,
and `deepspeed_config` and `mixed_precision` of accelerate's.

Remedy: write "auto" in the settings, or leave the key out: the run's value is then used.

Versions: every transformers with DeepSpeed, for trainers that use the loop of transformers (not
PPO). Read in the sources of 4.46.3, 4.48.3, 4.57.6 and 5.23.0.

Seen: reproduced with SFT of trl 1.16.0 (transformers 5.23.0, DeepSpeed 0.19.8) and 0.15.2 (4.48.3,
0.15.4): batch sizes, accumulation, clipping, learning rate, betas, warmup, bf16 and fp16, and in
accelerate's file accumulation, clipping and mixed_precision. With "auto" it trains.
"""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.trained_with import HALF, trained_with
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.launch.files import (
    LOOP,
    Settings,
    accelerate_settings,
    deepspeed_settings,
    if_named,
)
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

SAME: Mapping[tuple[str, ...], str] = {
    ("train_micro_batch_size_per_gpu",): "per_device_train_batch_size",
    ("gradient_accumulation_steps",): "gradient_accumulation_steps",
    ("gradient_clipping",): "max_grad_norm",
    ("optimizer", "params", "lr"): "learning_rate",
    ("optimizer", "params", "eps"): "adam_epsilon",
    ("optimizer", "params", "weight_decay"): "weight_decay",
    ("scheduler", "params", "warmup_max_lr"): "learning_rate",
    ("bf16", "enabled"): "bf16",
    ("fp16", "enabled"): "fp16",
}
"""What DeepSpeed calls arguments of the run."""

STATED: Mapping[tuple[str, ...], str] = {
    ("scheduler", "params", "warmup_num_steps"): "warmup_steps",
    ("scheduler", "params", "total_num_steps"): "max_steps",
}
"""The same, where the run says them itself: else they follow from the number of rows."""

OF_ACCELERATE: Mapping[tuple[str, ...], str] = {
    ("deepspeed_config", "gradient_accumulation_steps"): "gradient_accumulation_steps",
    ("deepspeed_config", "gradient_clipping"): "max_grad_norm",
}
BETAS = ("optimizer", "params", "betas")


def check(facts: Facts) -> Iterator[Finding]:
    no_other_program(facts)
    if known_trainer(facts) not in LOOP:
        raise NotConcerned("this trainer has a loop of its own, or is not known")
    settings = if_named(facts, deepspeed_settings)
    if settings is None:
        yield from _of_accelerate(facts)
        return
    for keys, argument in SAME.items():
        yield from _compared(facts, settings, keys, argument)
    for keys, argument in STATED.items():
        if argument in facts.run.arguments and (facts.run.number(argument) or 0) >= 1:
            yield from _compared(facts, settings, keys, argument)
    yield from _betas(facts, settings)
    yield from _whole_batch(facts, settings)


def _of_accelerate(facts: Facts) -> Iterator[Finding]:
    """What accelerate's file says to DeepSpeed itself."""
    file = facts[accelerate_settings]
    if file.get("distributed_type") != "DEEPSPEED":
        raise NotConcerned("accelerate's file does not ask for DeepSpeed")
    for keys, argument in OF_ACCELERATE.items():
        yield from _compared(facts, file, keys, argument)
    key, half = "mixed_precision", file.get("mixed_precision")
    if key not in file.value and file.get("fp16"):
        key, half = "fp16", "fp16"  # the old key; any text in it counts as true, "no" too
    on = [trained_with(facts, name) for name in HALF]
    if half in HALF and on == [0, 0]:
        yield Finding(
            file.place(key),
            f"{key} of {file.name} is {file.get(key)}, and {half} of the run is off: with "
            "DeepSpeed the run is refused",
            remedy=f"set {half}: true in the run, or mixed_precision: 'no' there",
        )


def _compared(
    facts: Facts, settings: Settings, keys: tuple[str, ...], argument: str
) -> Iterator[Finding]:
    stated, own = settings.get(*keys), trained_with(facts, argument)
    found = argument == "per_device_train_batch_size" and facts.run.flag("auto_find_batch_size")
    if found or not isinstance(stated, int | float) or own is None or float(stated) == own:
        return
    says = f"{argument} of the run is {bool(own) if argument in HALF else f'{own:g}'}"
    if argument == "fp16" and trained_with(facts, "bf16") and "bf16" not in facts.run.arguments:
        says, argument = "the run trains in bf16, TRL's default", ""
    yield _finding(facts, settings, keys, str(stated), says, argument)


def _betas(facts: Facts, settings: Settings) -> Iterator[Finding]:
    stated = settings.get(*BETAS)
    own = [trained_with(facts, "adam_beta1"), trained_with(facts, "adam_beta2")]
    if isinstance(stated, list) and stated != own:
        betas = f"adam_beta1 and adam_beta2 of the run are {own[0]:g} and {own[1]:g}"
        yield _finding(facts, settings, BETAS, str(stated), betas, "adam_beta1")


def _whole_batch(facts: Facts, settings: Settings) -> Iterator[Finding]:
    run, stated = facts.run, settings.get("train_batch_size")
    sizes = [
        trained_with(facts, "per_device_train_batch_size"),
        trained_with(facts, "gradient_accumulation_steps"),
    ]
    if not isinstance(stated, int) or None in sizes or run.flag("auto_find_batch_size"):
        return
    own_batch = int(sizes[0] or 0) * int(sizes[1] or 0)
    certain = run.processes and not run.processes_assumed
    if own_batch and (
        stated != own_batch * (run.processes or 1) if certain else stated % own_batch
    ):
        count = f" in {run.processes} processes" if certain else " in each process"
        of_run = f"the run's own batch is {own_batch}{count}"
        yield _finding(facts, settings, ("train_batch_size",), str(stated), of_run, "")


def _finding(
    facts: Facts, settings: Settings, keys: tuple[str, ...], stated: str, own: str, argument: str
) -> Finding:
    how = " (its default)" if argument and argument not in facts.run.arguments else ""
    name = ".".join(keys)
    return Finding(
        settings.place(*keys),
        f"{name} is {stated}, and {own}{how}: the run is refused",
        fix=settings.put(keys, "auto"),
        remedy=f'write "auto" for {name} in {settings.name}',
    )


def _files(settings: Json, **arguments: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json", **arguments}
    return {"run.json": run, "ds.json": settings}


def _accelerate(settings: dict[str, Json], **arguments: Json) -> dict[str, Json]:
    run: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}
    acc: Json = {"distributed_type": "DEEPSPEED", **settings}
    return {"run.json": {**run, "accelerate_config": "acc.yaml", **arguments}, "acc.yaml": acc}


AUTO: dict[str, Json] = {"ds.json": {"train_batch_size": "auto"}}
LR: Json = {"optimizer": {"type": "AdamW", "params": {"lr": 0.001}}}
FOUR: Json = {"gradient_accumulation_steps": 4}
BF16: Json = {"bf16": {"enabled": "auto"}}
FILLED: Json = {
    "distributed_type": "DEEPSPEED",
    "deepspeed_config": {"gradient_accumulation_steps": "auto"},
}
OLD = {"trl": "0.15.2"}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="DeepSpeed config values that mismatch",
    examples=(
        Bad(
            _files({"train_micro_batch_size_per_gpu": 4}, per_device_train_batch_size=2),
            fixed={"ds.json": {"train_micro_batch_size_per_gpu": "auto"}},
            says="is 4, and per_device_train_batch_size of the run is 2: the run is refused",
        ),
        Bad(
            _files({"gradient_accumulation_steps": 8}),
            fixed={"ds.json": {"gradient_accumulation_steps": "auto"}},
            says="gradient_accumulation_steps of the run is 1 (its default): the run is refused",
        ),
        Bad(
            _files({"fp16": {"enabled": True}}),
            versions=NEW,
            fixed={"ds.json": {"fp16": {"enabled": "auto"}}},
            says="the run trains in bf16, TRL's default: the run is refused",
        ),
        Bad(
            _files(LR, learning_rate=1e-5),
            fixed={"ds.json": {"optimizer": {"type": "AdamW", "params": {"lr": "auto"}}}},
            says="optimizer.params.lr is 0.001, and learning_rate of the run is 1e-05",
        ),
        Bad(
            _files({"optimizer": {"params": {"betas": [0.9, 0.95]}}}),
            fixed={"ds.json": {"optimizer": {"params": {"betas": "auto"}}}},
            says="betas is [0.9, 0.95], and adam_beta1 and adam_beta2 of the run are 0.9 and 0.999",
        ),
        Bad(
            _files({"bf16": {"enabled": True}}, bf16=False),
            fixed={"ds.json": BF16},
            says="bf16.enabled is True, and bf16 of the run is False",
        ),
        Bad(
            _files({"bf16": {"enabled": True}}),
            versions=OLD,
            fixed={"ds.json": BF16},
            says="bf16 of the run is False (its default)",
        ),
        Bad(
            _files({"train_batch_size": 64}, num_processes=4),
            fixed=AUTO,
            says="train_batch_size is 64, and the run's own batch is 8 in 4 processes",
        ),
        Bad(
            _files({"train_batch_size": 60}),
            fixed=AUTO,
            says="the run's own batch is 8 in each process",
        ),
        Bad(
            _accelerate({"deepspeed_config": FOUR}),
            fixed={"acc.yaml": FILLED},
            says="deepspeed_config.gradient_accumulation_steps is 4, and gradient_accumulation",
        ),
        Bad(
            _accelerate({"mixed_precision": "bf16"}, bf16=False),
            versions=OLD,
            says="mixed_precision of acc.yaml is bf16, and bf16 of the run is off",
        ),
        Bad(
            _accelerate({"fp16": True}, bf16=False),
            versions=OLD,
            says="fp16 of acc.yaml is True, and fp16 of the run is off: with DeepSpeed",
        ),
        Good(_accelerate({"fp16": False}, bf16=False), versions=OLD),
        Good(_accelerate({"deepspeed_config": FOUR}, gradient_accumulation_steps=4)),
        Good(_files({"bf16": {"enabled": True}}), versions=NEW),
        Good(_files({"train_batch_size": 32}, num_processes=4)),
        Good(_files(LR, learning_rate=1e-3)),
        Good(_files({"train_micro_batch_size_per_gpu": "auto", "gradient_clipping": 1})),
        Good(
            {"run.json": {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "gone.json"}},
            skipped="gone.json is not here",
        ),
    ),
)
