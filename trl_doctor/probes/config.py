"""Does the trainer's config class take the run's own arguments, and do its reporters exist?"""

from __future__ import annotations

import importlib
from typing import Any

from .answers.config import ConfigAnswer
from .child import told
from .layout.arguments import QUIET, SEEN, arguments
from .refusal import Refused


def answer(request: dict[str, Any]) -> ConfigAnswer:
    """What is raised, or None; sizes are made small, and what needs several processes is left out.

    The reporters are made as the trainer makes them, for some ask for packages only then.
    """
    named, run = request["trainer"], request["arguments"]
    if not named:
        raise Refused("which trainer would take them is open: say --trainer grpo")
    config = getattr(importlib.import_module(named["module"]), named["config"])
    made = arguments(config, run, named["name"], request["device"])
    own = {name: value for name, (value, _, why) in made.changed.items() if why in (QUIET, SEEN)}
    given = {**made.used, **own, "output_dir": "out"}
    if request["device"] == "cpu":
        given["use_cpu"] = True
    try:
        built = config(**given)
    except Exception as error:
        return ConfigAnswer(named["config"], told(error), reports=False)
    try:
        _reporters(built)
    except Exception as error:
        return ConfigAnswer(named["config"], told(error), reports=True)
    return ConfigAnswer(named["config"], None, reports=False)


def _reporters(config: Any) -> None:
    from transformers.integrations import get_reporting_integration_callbacks

    for kind in get_reporting_integration_callbacks(config.report_to):
        kind()
