"""From a request to a plan: models made small, files laid out, arguments and rewards chosen."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
from pathlib import Path
from typing import Any

from ..loading.adapter import said
from ..loading.config import mapping
from ..loading.small_files import copied
from ..refusal import Refused
from ..small_model.shrink import Tiny
from . import pictures
from .arguments import NO_GPU, Arguments, parsed
from .classes import classes
from .classes import options as loading
from .habits import Habits, habits
from .own_rewards import Chosen, chosen
from .plan import Plan
from .rows import COLUMNS, WITH_ENGINE, Rows
from .ways import ENGINE, FULL, SMALL, Way

LEAN = 0.25
"""The probability of the turn end, token by token: completions end here and there."""

TEMPLATE = "chat_template_path"
"""The argument that brings a chat template from elsewhere."""

ATTENTION, ON_CPU = "attn_implementation", ("eager", "sdpa")
"""How attention is computed: the argument, and what a CPU can do."""

NEEDS_GPU = ("device_map", "max_memory", "quantization_config", "load_in_4bit", "load_in_8bit")
"""Of `model_init_kwargs`."""

OFFLINE = ("sft", "dpo", "kto", "reward")


@dataclasses.dataclass(frozen=True)
class Laid:
    """What lies in the folder, and the plan of the script that trains on it."""

    plan: Plan
    tiny: Tiny
    rows: Rows
    arguments: Arguments
    rewards: Chosen


def laid_out(request: dict[str, Any], into: Path, way: Way | None = None) -> Laid:
    """Write the models, rows and tokenizer of one step into a folder. Raises `Refused`.

    The way is the one that the request asks for, where none is given.
    """
    way = way or (FULL if request.get("full_size") else SMALL)
    named = request["trainer"]
    if not named:
        raise Refused("the trainer is not known: use --trainer, for example --trainer grpo")
    if named["name"] not in COLUMNS or (named["name"] in WITH_ENGINE and way is not ENGINE):
        raise Refused("no step is known for this trainer")
    home = importlib.import_module(named["module"])
    trainer, config = getattr(home, named["class"]), getattr(home, named["config"])
    taken = frozenset(inspect.signature(inspect.unwrap(trainer.__init__)).parameters)
    tiny, models = models_laid(request, named["name"], taken, into, way)
    own_tokenizer = _copy_tokenizer(request, into)
    speaks = into / ("tokenizer" if own_tokenizer else "model")
    run = _run(request)
    data = way.rows(request, _conversational(request, speaks), config, speaks)
    columns = _rows_written(data, tiny, request, into)
    made = way.arguments(config, run, named["name"], request["device"])
    habit = habits(named["name"])
    rewards = chosen(request, trainer, data, habit) if "reward_funcs" in taken else Chosen()
    if rewards.functions and made.used.get("reward_weights"):
        made.used["reward_weights"] = rewards.weights(made.used["reward_weights"])
    loader, processing = classes(request, habit, tiny.architecture)
    options = loading(loader, made.used, _options(run, habit, request["device"], made))
    plan = Plan(
        named["name"], named["class"], named["config"], named["module"], taken, made.used, habit,
        options, _adapter(run, made), models, own_tokenizer, data.conversational,
        _chosen_rows(named["name"], made, way),
        int(made.used.get("seed", 42)), request["trust_remote_code"], tuple(request["roots"]),
        tuple(rewards.functions), tuple(rewards.imports), columns, loader, processing,
    )  # fmt: skip
    return Laid(plan, tiny, data, made, rewards)


def _rows_written(data: Rows, tiny: Tiny, request: dict[str, Any], into: Path) -> dict[str, bool]:
    """Write the rows and their images; the columns of these. Raises `Refused`."""
    sees = pictures.sees(request["folders"]["policy"])
    rows, columns = pictures.written(data.rows, into, request["roots"] if sees else [])
    with (into / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, default=str) + "\n" for row in rows)
    if columns and sees:
        pictures.tried(tiny, bool(request["trust_remote_code"]))
    return columns


def _chosen_rows(trainer: str, made: Arguments, way: Way) -> int:
    """How many of the rows, the shortest, are trained on; 0 is all."""
    if way.all_rows or trainer not in OFFLINE:
        return 0
    return int(made.used["per_device_train_batch_size"])


def _run(request: dict[str, Any]) -> dict[str, Any]:
    """The run's arguments, with paths that do not depend on the working folder."""
    run = dict(request["arguments"])
    if request["trust_remote_code"]:
        run.setdefault("trust_remote_code", True)
    else:
        run.pop("trust_remote_code", None)
    template = run.get(TEMPLATE)
    if isinstance(template, str):
        found = [
            Path(root) / template for root in request["roots"] if (Path(root) / template).exists()
        ]
        if not found:
            raise Refused(f"{TEMPLATE} {template} is not here")
        run[TEMPLATE] = str(found[0].absolute())
    return run


def models_laid(
    request: dict[str, Any], trainer: str, taken: frozenset[str], into: Path, way: Way
) -> tuple[Tiny, frozenset[str]]:
    """Models of every role that this trainer has, in folders named for their roles."""
    folders = dict(request["folders"])
    if trainer == "reward":
        scorer = {**request, "folders": {**folders, "reward": folders["policy"]}}
        return way.models(scorer, "reward", into / "model"), frozenset(("policy",))
    tiny = way.models(request, "policy", into / "model", LEAN)
    if folders["value"] is None and not _said_none(request, "value"):
        folders["value"] = folders["reward"]
    roles = {"reference"} if trainer in (*OFFLINE, "ppo") else set()
    roles |= {"reward"} if trainer in ("grpo", "rloo", "ppo") else set()
    roles |= {"value"} if "value_model" in taken else set()
    there = sorted(role for role in roles if folders[role])
    for role in there:
        lean = LEAN if role == "reference" else None
        way.models({**request, "folders": folders}, role, into / role, lean)
    return tiny, frozenset((*there, "policy"))


def _said_none(request: dict[str, Any], role: str) -> bool:
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
    """Whether made rows are conversations: where the run is open about it, and can render them."""
    if request["data"]["conversational"] is False:
        return False
    if request["arguments"].get(TEMPLATE) or any(
        (folder / name).exists() for name in ("chat_template.jinja", "chat_template.json")
    ):
        return True
    return bool(mapping(folder / "tokenizer_config.json").get("chat_template"))


def _loading(made: Arguments, device: str) -> dict[str, Any]:
    """The run's `model_init_kwargs`; on a CPU without what needs a GPU."""
    given = parsed(made.used["model_init_kwargs"])
    if device != "cpu":
        return given
    kept = {name: one for name, one in given.items() if name not in NEEDS_GPU}
    if kept.get(ATTENTION) not in (None, *ON_CPU):
        del kept[ATTENTION]
    for name in given.keys() - kept.keys():
        made.changed[f"model_init_kwargs.{name}"] = (given[name], None, NO_GPU)
    return kept


def _options(run: dict[str, Any], habit: Habits, device: str, made: Arguments) -> dict[str, str]:
    """What TRL's script hands to `from_pretrained`, as source."""
    if "model_init_kwargs" in made.used:
        made.used["model_init_kwargs"] = _loading(made, device)
        if not made.used["model_init_kwargs"]:
            del made.used["model_init_kwargs"]
    if not habit.options:
        return {}
    fields = {
        one.name: one for one in dataclasses.fields(importlib.import_module("trl").ModelConfig)
    }
    found = {}
    name = "dtype" if "dtype" in fields else "torch_dtype"
    dtype = run.get(name, fields[name].default)
    if isinstance(dtype, str):
        if not dtype.isidentifier():
            raise Refused(f"{name} is {dtype!r}, which is no name")
        found[name] = repr(dtype) if habit.by_path or dtype == "auto" else f"torch.{dtype}"
    attention = run.get(ATTENTION)
    if isinstance(attention, str) and device == "cpu" and attention not in ON_CPU:
        made.changed[ATTENTION] = (attention, None, NO_GPU)
    elif isinstance(attention, str):
        found[ATTENTION] = repr(attention)
    return found


def _adapter(run: dict[str, Any], made: Arguments) -> dict[str, Any]:
    """What the run says of its adapter; that it is quantised is said and left out."""
    for name in ("load_in_4bit", "load_in_8bit"):
        if run.get(name):
            made.changed[name] = (run[name], None, "the small model is not quantised")
    return said(run)
