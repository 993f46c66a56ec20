"""Does the trainer's config class take the run's own arguments, and do its reporters exist?"""

from __future__ import annotations

import importlib
from typing import Any

from .child import told
from .layout.arguments import QUIET, SEEN, arguments
from .refusal import Refused


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What is raised, or null; sizes are made small, and what needs several processes is left out.

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
        return {"config": named["config"], "raised": told(error), "reports": False}
    try:
        _reporters(built)
    except Exception as error:
        return {"config": named["config"], "raised": told(error), "reports": True}
    return {"config": named["config"], "raised": None, "reports": False}


def _reporters(config: Any) -> None:
    from transformers.integrations import get_reporting_integration_callbacks

    for kind in get_reporting_integration_callbacks(config.report_to):
        kind()
