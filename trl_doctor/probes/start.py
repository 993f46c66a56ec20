"""Does TRL's own script start: from the run file to its first training step, on a small model?"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from .answers.start import StartAnswer
from .layout.argument_tables import ALONE, ENGINE, LEFT_OUT, NO_GPU, ON_CPU, QUIET
from .layout.arguments import files_beside, parsed
from .layout.command import parsed as read_by_parser
from .layout.command import script_of
from .layout.counted import counted_alike
from .layout.distilling import TEACHER, TEACHER_MODEL
from .layout.given_data import given_data
from .layout.planning import ATTENTION, NEEDS_GPU, models_laid
from .layout.planning import ON_CPU as CPU_ATTENTION
from .layout.ways import SMALL
from .refusal import Refused
from .step import files_kept

PATHS = ("chat_template_path", "resume_from_checkpoint")
"""Arguments that may name a file or folder beside the run file."""

CHANGED: dict[str, tuple[Any, str]] = {
    "output_dir": ("out", QUIET),
    "report_to": ("none", QUIET),
    "push_to_hub": (False, QUIET),
    "use_vllm": (False, ENGINE),
}
QUANTISED = ("load_in_4bit", "load_in_8bit", "use_bnb_nested_quant")
ROLES = {"policy": "model_name_or_path", "reward": "reward_model_name_or_path"}


class Reached(BaseException):
    """The trainer has come to its first training step."""


def answer(request: dict[str, Any]) -> StartAnswer:
    """Whether it `reached` the first step, and what was `changed`: whatever is raised goes on.

    The run's arguments are those of the run file but what names models and folders, what needs
    several processes, a tracker or a GPU.
    """
    trainer = request["trainer"]
    if not trainer:
        raise Refused("the trainer is not known: use --trainer, for example --trainer grpo")
    script = script_of(trainer["name"])
    if script is None:
        raise Refused(f"this release of trl has no command for {trainer['name']}")
    here = Path.cwd()
    kind = getattr(importlib.import_module(trainer["module"]), trainer["class"])
    parameters = frozenset(inspect.signature(inspect.unwrap(kind.__init__)).parameters)
    _, roles = models_laid(request, trainer["name"], parameters, here, SMALL)
    run, changed = run_file(request, roles, here)
    sys.path[:0] = request["roots"]
    with (
        files_kept(request),
        given_data(request, run),
        mock.patch.object(kind, "training_step", _stop),
    ):
        try:
            processes = request.get("processes")
            script.main(*counted_alike(processes, lambda: read_by_parser(script, run)))
        except Reached:
            return StartAnswer(True, changed)
    return StartAnswer(False, changed)


def _stop(*_: Any, **__: Any) -> None:
    raise Reached


def run_file(
    request: dict[str, Any], roles: frozenset[str], here: Path
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments that the script is given, and why some are others than the run's."""
    own, cpu = request["arguments"], request["device"] == "cpu"
    out = {name: ALONE for name in LEFT_OUT[ALONE] if name != "accelerator_config"}
    out.update({name: "the small model is not quantised" for name in QUANTISED})
    if cpu:
        out.update({name: NO_GPU for name in (*ON_CPU, "bf16_full_eval")})
    run = {name: value for name, value in own.items() if name not in out}
    changed = {name: out[name] for name in own if name in out}
    for name, (value, why) in CHANGED.items():
        if name in own or name in ("output_dir", "report_to"):
            run[name], changed[name] = value, why
    for role, key in ROLES.items():
        if role in roles:
            run[key] = str(here / ("model" if role == "policy" else role))
    if own.get(TEACHER_MODEL):
        run[TEACHER_MODEL], changed[TEACHER_MODEL] = str(here / "model"), TEACHER
    for key in PATHS:
        run.update(files_beside([key], own, request["roots"]))
    if cpu:
        run.update(use_cpu=True, bf16=False)
        _attention(run, changed)
    if request["trust_remote_code"]:
        run["trust_remote_code"] = True
    return run, changed


def _attention(run: dict[str, Any], changed: dict[str, str]) -> None:
    """Leave out what only a GPU can do: kinds of attention, quantisation."""
    kernels = ("flash_attention_2", "flash_attention_3", "flex_attention", "kernels-community")
    if str(run.get(ATTENTION, "")).startswith(kernels):
        changed[ATTENTION] = NO_GPU
        del run[ATTENTION]
    init_options = parsed(run.get("model_init_kwargs"))
    options = {name: value for name, value in init_options.items() if name not in NEEDS_GPU}
    if options.get(ATTENTION) not in (None, *CPU_ATTENTION):
        del options[ATTENTION]
    if options != init_options:
        run["model_init_kwargs"], changed["model_init_kwargs"] = options, NO_GPU
