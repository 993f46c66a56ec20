"""The trainers do not import with a torch that transformers finds too old."""

import importlib

from small import raises

raises(
    "name 'nn' is not defined",
    lambda: importlib.import_module("trl.trainer.sft_trainer"),
)
