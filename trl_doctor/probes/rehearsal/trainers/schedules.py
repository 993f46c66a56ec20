"""Makes the schedule of the learning rate that the script asks for; a rehearsal has another one."""

from __future__ import annotations

from typing import Any

from ..kinds import LIBRARY, package_of
from . import configs

NAMES = ("lr_scheduler_type", "warmup_steps", "warmup_ratio")
SETTINGS = "lr_scheduler_kwargs"
MADE = "_created_lr_scheduler"
STEPS = 1000
"""The steps of a run that does not say how many."""


def made(trainer: Any) -> None:
    """Make the schedule once, for another optimizer; raises what that raises, as the run does."""
    own = dict(configs.own_of(trainer.args))
    if getattr(trainer.args, SETTINGS, None) is not None:  # they are for the usual schedule
        own.setdefault(NAMES[0], type(trainer.args).__dataclass_fields__[NAMES[0]].default)
    if own.get(NAMES[0]) is None or getattr(trainer, "lr_scheduler", None) is not None:
        return
    create: Any = getattr(trainer, "create_scheduler", None)
    if package_of(create) not in LIBRARY or getattr(trainer, "is_deepspeed_enabled", False):
        return
    import torch

    rate = trainer.args.learning_rate
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate)
    before = {name: getattr(trainer.args, name) for name in NAMES if hasattr(trainer.args, name)}
    steps = own.get("max_steps")
    try:
        for name in before.keys() & own.keys():
            setattr(trainer.args, name, configs.type_like(before[name], own[name]))
        create(steps if isinstance(steps, int) and steps > 0 else STEPS, optimizer)
    finally:
        trainer.lr_scheduler = None
        if MADE in vars(trainer):  # it is read before the next schedule is made
            setattr(trainer, MADE, False)
        for name, value in before.items():
            setattr(trainer.args, name, value)
