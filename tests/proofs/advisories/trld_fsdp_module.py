"""GRPOTrainer and three more do not import with a torch that has no FSDPModule in public."""

import importlib

from small import raises

raises(
    "cannot import name 'FSDPModule' from 'torch.distributed.fsdp'",
    lambda: importlib.import_module("trl.trainer.grpo_trainer"),
)
