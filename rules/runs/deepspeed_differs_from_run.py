"""DeepSpeed's file says another value than the run.

The Trainer of transformers compares the numbers in DeepSpeed's file with the run's own, and refuses
the run where one differs: "Please correct the following DeepSpeed config values that mismatch
TrainingArguments values". By then all processes have started and loaded the model.

Remedy: write "auto" in DeepSpeed's file: the run's value is then used.

Versions: every transformers with DeepSpeed, for trainers whose loop is that of transformers (not
PPO). By the sources of 4.46.3, 4.48.3, 4.57.6 and 5.23.0.

Seen: reproduced with SFT of trl 1.16.0, transformers 5.23.0 and DeepSpeed 0.19: the batch,
gradient_accumulation_steps, gradient_clipping and the learning rate; with "auto" it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.documents import read
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer
from trl_doctor.facts.unknown_arguments import no_other_program

SAME: dict[tuple[str, ...], str] = {
    ("train_micro_batch_size_per_gpu",): "per_device_train_batch_size",
    ("gradient_accumulation_steps",): "gradient_accumulation_steps",
    ("gradient_clipping",): "max_grad_norm",
    ("optimizer", "params", "lr"): "learning_rate",
    ("optimizer", "params", "eps"): "adam_epsilon",
    ("optimizer", "params", "weight_decay"): "weight_decay",
    ("scheduler", "params", "warmup_max_lr"): "learning_rate",
}
"""What DeepSpeed calls arguments of the run."""

LOOP = ("sft", "dpo", "kto", "reward", "grpo", "orpo", "cpo", "bco")
"""Trainers whose loop is that of transformers, which compares the values."""

USUAL = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "max_grad_norm": 1.0}
"""What these arguments are where the run does not say them, in every config of TRL."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    no_other_program(facts)
    if known_trainer(facts) not in LOOP:
        raise NotConcerned("this trainer has a loop of its own, or is not known")
    name = run.arguments.get("deepspeed")
    path = dataset.existing_path(facts, name) if isinstance(name, str) and name.strip() else None
    if path is None or path.suffix != ".json":
        raise NotConcerned("the run names no DeepSpeed file that is here")
    file = read(path)
    for keys, argument in SAME.items():
        if argument == "per_device_train_batch_size" and run.flag("auto_find_batch_size"):
            continue
        stated, own = file.get(*keys), run.number(argument, USUAL.get(argument))
        number = isinstance(stated, int | float) and not isinstance(stated, bool)
        if not number or own is None or float(str(stated)) == own:
            continue
        how = "" if argument in run.arguments else " (its default)"
        yield Finding(
            file.place(pointer(*keys)),
            f"{'.'.join(keys)} is {stated}, and {argument} of the run is {own:g}{how}: the run is "
            "refused",
            remedy=f'write "auto" for {".".join(keys)} in {path.name}',
        )


def _files(settings: Json, **arguments: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "ds.json", **arguments}
    return {"run.json": run, "ds.json": settings}


LR: Json = {"optimizer": {"type": "AdamW", "params": {"lr": 0.001}}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="DeepSpeed config values that mismatch",
    examples=(
        Bad(
            _files({"train_micro_batch_size_per_gpu": 4}, per_device_train_batch_size=2),
            says="is 4, and per_device_train_batch_size of the run is 2: the run is refused",
        ),
        Bad(
            _files({"gradient_accumulation_steps": 8}),
            says="gradient_accumulation_steps of the run is 1 (its default): the run is refused",
        ),
        Bad(
            _files(LR, learning_rate=1e-5),
            says="optimizer.params.lr is 0.001, and learning_rate of the run is 1e-05",
        ),
        Good(_files(LR, learning_rate=1e-3)),
        Good(_files(LR)),
        Good(_files({"train_micro_batch_size_per_gpu": "auto", "gradient_clipping": 1})),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m", "deepspeed": "gone.json"}}),
    ),
)
