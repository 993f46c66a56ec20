"""From a request to a plan: models made small, files laid out, arguments and rewards chosen."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

from ..loading.adapter import adapter_settings
from ..loading.config import mapping
from ..loading.small_files import copied
from ..refusal import Refused
from ..small_model.shrink import Tiny
from ..watching import evaluation, saving
from . import pictures
from .argument_tables import NO_GPU
from .arguments import Arguments, parsed
from .classes import classes
from .classes import options as loading
from .distilling import refuse_servers
from .habits import Habits, habits
from .needed_columns import COLUMNS, WITH_ENGINE
from .own_rewards import Chosen, chosen
from .plan import Plan
from .rows import Rows
from .ways import ENGINE, FULL, OWN_SIZES, SMALL, Way

END_PROBABILITY = 0.25
"""The probability of the turn end at each token: completions end at different lengths."""

TEMPLATE = "chat_template_path"
"""The argument that brings a chat template from elsewhere."""

ATTENTION, ON_CPU = "attn_implementation", ("eager", "sdpa")
"""How attention is computed: the argument, and what a CPU can do."""

OF_A_GPU = re.compile(r"_attention|paged|/")
"""Kinds of attention that need a GPU: any other name is given to transformers as it is."""

NEEDS_GPU = ("device_map", "max_memory", "quantization_config", "load_in_4bit", "load_in_8bit")
"""Of `model_init_kwargs`."""

OFFLINE = ("sft", "dpo", "kto", "reward")


@dataclasses.dataclass(frozen=True)
class Laid:
    """The files in the folder, and the plan of the script that trains with them."""

    plan: Plan
    tiny: Tiny
    rows: Rows
    arguments: Arguments
    rewards: Chosen


def _refuse(request: dict[str, Any], way: Way) -> None:
    """Raise `Refused` if no step of the trainer can be laid out this way."""
    trainer = request["trainer"]
    if not trainer:
        raise Refused("the trainer is not known: use --trainer, for example --trainer grpo")
    if trainer["name"] not in COLUMNS:
        raise Refused("no step is known for this trainer")
    if trainer["name"] in WITH_ENGINE and way is not ENGINE:
        raise Refused("a step of this trainer is known only with vLLM in this process")
    refuse_servers(request["arguments"])


def laid_out(request: dict[str, Any], into: Path, way: Way | None = None) -> Laid:
    """Write the models, rows and tokenizer of one step into a folder. Raises `Refused`.

    Without `way`, the request decides which way is used.
    """
    way = way or (FULL if request.get("full_size") else SMALL)
    _refuse(request, way)
    names = request["trainer"]
    home = importlib.import_module(names["module"])
    trainer, config = getattr(home, names["class"]), getattr(home, names["config"])
    parameters = frozenset(inspect.signature(inspect.unwrap(trainer.__init__)).parameters)
    tiny, models = models_laid(request, names["name"], parameters, into, way)
    own_tokenizer = _copy_tokenizer(request, into)
    tokenizer_folder = into / ("tokenizer" if own_tokenizer else "model")
    run = _run(request)
    data = way.rows(request, _conversational(request, tokenizer_folder), config, tokenizer_folder)
    columns = _rows_written(data, tiny, request, into)
    arguments = way.arguments(config, run, names["name"], request["device"])
    small = way in (SMALL, OWN_SIZES)
    evaluates = small and evaluation.wanted(run, names["name"])
    if evaluates:
        arguments.used.update(evaluation.at_the_start(run, arguments.used))
    habit = habits(names["name"])
    rewards = chosen(request, trainer, data, habit) if "reward_funcs" in parameters else Chosen()
    if arguments.used.get("reward_weights") == [] and not run.get("reward_funcs"):
        del arguments.used["reward_weights"]  # as many as functions, which are not known here
    if rewards.functions and arguments.used.get("reward_weights"):
        arguments.used["reward_weights"] = rewards.weights(arguments.used["reward_weights"])
    loader, processing = classes(request, habit, tiny.architecture)
    options = loading(loader, arguments.used, _options(request, habit, arguments))
    plan = Plan(
        names["name"], names["class"], names["config"], names["module"], parameters,
        arguments.used, habit, options, _adapter(request, arguments), models, own_tokenizer,
        data.conversational,
        _chosen_rows(names["name"], arguments, way),
        int(arguments.used.get("seed", 42)), request["trust_remote_code"], tuple(request["roots"]),
        tuple(rewards.functions), tuple(rewards.imports), columns, loader, processing,
        evaluates, small and "max_steps" in arguments.used and saving.resumes(run, trainer),
        bool(request.get("own")) and data.source != "made" and names["name"] in OFFLINE,
        bool(request.get("task_open")),
    )  # fmt: skip
    return Laid(plan, tiny, data, arguments, rewards)


def _rows_written(data: Rows, tiny: Tiny, request: dict[str, Any], into: Path) -> dict[str, bool]:
    """Write the rows and their images; the columns of these. Raises `Refused`."""
    sees = pictures.sees(request["folders"]["policy"])
    rows, columns = pictures.written(data.rows, into, request["roots"] if sees else [])
    with (into / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, default=str) + "\n" for row in rows)
    if columns and sees:
        pictures.tried(tiny, bool(request["trust_remote_code"]))
    return columns


def _chosen_rows(trainer: str, arguments: Arguments, way: Way) -> int:
    """How many of the rows, the shortest ones, are used for training; 0 means all."""
    if way.all_rows or trainer not in OFFLINE:
        return 0
    return int(arguments.used["per_device_train_batch_size"])


def _run(request: dict[str, Any]) -> dict[str, Any]:
    """The run's arguments, with paths that do not depend on the working folder."""
    run = dict(request["arguments"])
    if request["trust_remote_code"]:
        run.setdefault("trust_remote_code", True)
    else:
        run.pop("trust_remote_code", None)
    template = run.get(TEMPLATE)
    if isinstance(template, str):
        templates = [
            Path(root) / template for root in request["roots"] if (Path(root) / template).exists()
        ]
        if not templates:
            raise Refused(f"{TEMPLATE} {template} is not here")
        run[TEMPLATE] = str(templates[0].absolute())
    return run


def models_laid(
    request: dict[str, Any], trainer: str, parameters: frozenset[str], into: Path, way: Way
) -> tuple[Tiny, frozenset[str]]:
    """Models of every role that this trainer has, in folders named for their roles."""
    folders = dict(request["folders"])
    if trainer == "reward":
        scorer = {**request, "folders": {**folders, "reward": folders["policy"]}}
        return way.models(scorer, "reward", into / "model"), frozenset(("policy",))
    tiny = way.models(request, "policy", into / "model", END_PROBABILITY)
    if folders["value"] is None and not _names_no_model(request, "value"):
        folders["value"] = folders["reward"]
    roles = {"reference"} if trainer in (*OFFLINE, "ppo") else set()
    roles |= {"reward"} if trainer in ("grpo", "rloo", "ppo", "sdpo") else set()
    roles |= {"value"} if "value_model" in parameters else set()
    present = sorted(role for role in roles if folders[role])
    for role in present:
        end_probability = END_PROBABILITY if role == "reference" else None
        way.models({**request, "folders": folders}, role, into / role, end_probability)
    return tiny, frozenset((*present, "policy"))


def _names_no_model(request: dict[str, Any], role: str) -> bool:
    """Whether the run file names this role, and names nothing."""
    keys = (f"{role}_model_name_or_path", f"{role}_model_path")
    return any(key in request["arguments"] for key in keys) and not request["folders"][role]


def _copy_tokenizer(request: dict[str, Any], into: Path) -> bool:
    """Copy a tokenizer that is kept apart from the model; whether there is one."""
    folder = request["folders"]["tokenizer"]
    if not folder or folder == request["folders"]["policy"]:
        return False
    (into / "tokenizer").mkdir()
    copied(Path(folder), into / "tokenizer", bool(request["trust_remote_code"]))
    return True


def _conversational(request: dict[str, Any], folder: Path) -> bool:
    """Whether generated rows are conversations, where the run accepts both and can render them."""
    if request["data"]["conversational"] is False:
        return False
    if request["arguments"].get(TEMPLATE) or any(
        (folder / name).exists() for name in ("chat_template.jinja", "chat_template.json")
    ):
        return True
    return bool(mapping(folder / "tokenizer_config.json").get("chat_template"))


def _loading(arguments: Arguments, device: str) -> dict[str, Any]:
    """The run's `model_init_kwargs`; on a CPU without what needs a GPU."""
    options = parsed(arguments.used["model_init_kwargs"])
    if device != "cpu":
        return options
    usable = {name: option for name, option in options.items() if name not in NEEDS_GPU}
    if usable.get(ATTENTION) not in (None, *ON_CPU):
        del usable[ATTENTION]
    for name in options.keys() - usable.keys():
        arguments.changed[f"model_init_kwargs.{name}"] = (options[name], None, NO_GPU)
    return usable


def _options(request: dict[str, Any], habit: Habits, arguments: Arguments) -> dict[str, str]:
    """The options that TRL's script passes to `from_pretrained`, as source."""
    run, device = request["arguments"], request["device"]
    if habit.replaces and not request.get("script"):
        arguments.used.pop("model_init_kwargs", None)
    if "model_init_kwargs" in arguments.used:
        arguments.used["model_init_kwargs"] = _loading(arguments, device)
        if not arguments.used["model_init_kwargs"]:
            del arguments.used["model_init_kwargs"]
    if not habit.options:
        return {}
    fields = {
        field.name: field
        for field in dataclasses.fields(importlib.import_module("trl").ModelConfig)
    }
    options = {}
    name = "dtype" if "dtype" in fields else "torch_dtype"
    dtype = run.get(name, fields[name].default)
    if isinstance(dtype, str):
        if not dtype.isidentifier():
            raise Refused(f"{name} is {dtype!r}, which is no name")
        options[name] = repr(dtype) if habit.by_path or dtype == "auto" else f"torch.{dtype}"
    attention = run.get(ATTENTION)
    if isinstance(attention, str) and device == "cpu" and OF_A_GPU.search(attention):
        arguments.changed[ATTENTION] = (attention, None, NO_GPU)
    elif isinstance(attention, str):
        options[ATTENTION] = repr(attention)
    return options


def _adapter(request: dict[str, Any], arguments: Arguments) -> dict[str, Any]:
    """The run's adapter arguments; quantisation is recorded and left out."""
    run = request["arguments"]
    for name in ("load_in_4bit", "load_in_8bit"):
        if run.get(name):
            arguments.changed[name] = (run[name], None, "the small model is not quantised")
    return adapter_settings(run, request.get("by_class", False))
