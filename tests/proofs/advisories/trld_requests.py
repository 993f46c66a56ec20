"""GRPOTrainer does not import where the package `requests` is not installed."""

import importlib

from small import raises

raises(
    "No module named 'requests'",
    lambda: importlib.import_module("trl.trainer.grpo_trainer"),
)
