"""Settings under another name than that of the trainer's argument, which no part of the code reads.

A script that gives its config only those keys that are fields drops the others without a word.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...named_objects import nodes_of
from ..record import Mistake
from ..where import is_own, own_files, own_modules
from . import config_files
from .config_files import FEWEST, LISTED, differs, same, short

MEANT = {
    "learning_rate": "lr base_lr peak_lr max_lr lr_rate learningrate",
    "per_device_train_batch_size": "batch_size bs train_batch_size micro_batch_size batchsize "
    "per_device_batch_size per_gpu_train_batch_size per_device_train_batchsize",
    "num_train_epochs": "epochs epoch num_epochs n_epochs max_epochs train_epochs",
    "gradient_accumulation_steps": "grad_accum grad_accum_steps gradient_accumulation grad_acc "
    "grad_accumulation accum_steps "
    "grad_accumulation_steps accumulation_steps accumulate_grad_batches",
    "warmup_steps": "warmup num_warmup_steps warmup_iters lr_warmup_steps",
    "warmup_ratio": "warmup_proportion warmup_fraction",
    "weight_decay": "wd decay",
    "max_grad_norm": "grad_clip clip_grad gradient_clipping gradient_clip_val clip_grad_norm",
    "max_steps": "num_steps train_steps total_steps num_train_steps max_train_steps",
    "max_length": "max_seq_length max_seq_len max_len seq_len seq_length sequence_length "
    "model_max_length cutoff_len max_sequence_length",
    "lr_scheduler_type": "scheduler lr_scheduler scheduler_type lr_schedule",
    "beta": "kl_coef kl_coeff kl_beta dpo_beta kl_penalty",
    "num_generations": "num_generation n_generations group_size num_samples num_return_sequences",
    "max_completion_length": "max_new_tokens response_length max_response_length "
    "completion_length max_completion_len",
    "temperature": "temp sampling_temperature",
    "label_smoothing": "label_smoothing_factor smoothing",
}
"""Arguments, and names that other programs have for them."""

ALIASES = {name: key for key, names in MEANT.items() for name in names.split()}
NEAR, SHORTEST, DEEPEST = 0.9, 6, 3
"""How like a name of an argument has to be, and how long; how deep mappings in mappings are."""

SHOWS = frozenset({"dump", "dumps", "safe_dump", "print", "pprint", "init", "log", "log_params",
                   "log_dict", "info", "log_hyperparams", "update"})  # fmt: skip
"""Calls that write what they get into a log or a file."""


class Settings(NamedTuple):
    """A mapping with settings, and what the report calls it; a file has a path."""

    name: str
    values: Mapping[str, Any]
    path: str = ""


def unread(config: Any, given: Mapping[str, Any] | None) -> Iterator[Mistake]:
    """Such keys of files, dictionaries and objects of which other keys have reached the config."""
    if not given or not dataclasses.is_dataclass(config):
        return
    fields = {field.name: field.default for field in dataclasses.fields(config)}
    used = {**fields, **given}
    said, looked_up = _said(), _looked_up()
    told = set[str]()
    for settings in _all_settings():
        passed = [key for key in settings.values if key in given
                  and same(settings.values[key], given[key])]  # fmt: skip
        if len(passed) < FEWEST:
            continue
        lost = {
            key: f"{key} ({short(value)}; {argument} is {_default(used[argument])})"
            for key, value in settings.values.items()
            if (argument := _argument(key, value, fields)) and key not in said | told
            and (argument not in given or argument in looked_up)
            and argument not in settings.values
            and differs(value, used.get(argument), None)
        }  # fmt: skip
        others = config_files.read_by_others(settings.path) if lost and settings.path else ()
        if left := [key for key in lost if key not in others]:
            told.update(left)
            words = [", ".join(lost[key] for key in left[:4]), settings.name]
            yield Mistake("key under another name", words)


def _argument(key: str, value: Any, fields: Mapping[str, Any]) -> str:
    """The argument that a key means; "" if it is one itself, or means none, or not such a value."""
    if key in fields or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return ""
    argument = ALIASES.get(key.lower(), "")
    if argument == "warmup_steps" and isinstance(value, float) and value < 1:
        argument = "warmup_ratio" if "warmup_ratio" in fields else argument
    if not argument and len(key) >= SHORTEST:
        argument = next(iter(difflib.get_close_matches(key, fields, 1, NEAR)), "")
    if argument not in fields or key in _of_other_classes(fields):
        return ""
    default = fields[argument]
    texts = isinstance(default, str) and not isinstance(default, bool)
    return argument if texts == isinstance(value, str) or _is_number(value) else ""


def _is_number(value: Any) -> bool:
    """Whether it is a number that YAML has read as a text: 1e-5."""
    try:
        float(value)
    except ValueError:
        return False
    return isinstance(value, str)


def _default(value: Any) -> str:
    return "not set" if value in (None, dataclasses.MISSING) else short(value)


def _of_other_classes(fields: Mapping[str, Any]) -> set[str]:
    """The fields of other classes that the script's modules know: those may get the key."""
    kinds = {
        id(value): value
        for name in own_modules()
        for value in list(vars(sys.modules[name]).values())
        if isinstance(value, type) and dataclasses.is_dataclass(value)
    }
    names = [
        {field.name for field in dataclasses.fields(kind)}
        for kind in kinds.values()
        if not is_own(getattr(sys.modules.get(kind.__module__), "__file__", None) or "<")
    ]
    return set[str]().union(*(own for own in names if not own >= {*fields}))


def _all_settings() -> Iterator[Settings]:
    """The files that the script has loaded, and what its names stand for, with all inside."""
    for file in config_files.loaded:
        for part in _inside(file.values):
            yield Settings(file.file, part, file.path)
    seen = set[int]()
    shown = _only_shown()
    for name, value in _named():
        for part in _inside(_mapping(value)):
            if id(part) not in seen and name not in shown:
                seen.add(id(part))
                yield Settings(name, part)


def _inside(values: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if values and all(isinstance(key, str) for key in values):
        yield values
        for value in values.values():
            if isinstance(value, Mapping) and depth < DEEPEST:
                yield from _inside(value, depth + 1)


def _only_shown() -> set[str]:
    """The names that the code only writes into a log or a file, such as the card of a run."""
    nodes = [node for file in own_files() for node in nodes_of(file)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = {
        id(value)
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in SHOWS
        for value in (*call.args, *(word.value for word in call.keywords if word.arg))
    }
    read = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return {n.id for n in read if id(n) in given} - {n.id for n in read if id(n) not in given}


def _named() -> Iterator[tuple[str, Any]]:
    """What the names of the script's modules and of its functions at work stand for."""
    for module in own_modules():
        yield from list(vars(sys.modules[module]).items())
    frame = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            yield from list(frame.f_locals.items())
        frame = frame.f_back  # type: ignore[assignment]


def _mapping(value: Any) -> Mapping[str, Any]:
    """The settings in a dictionary, a namespace, or a class of the script's own or its object."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (argparse.Namespace, SimpleNamespace)):
        return vars(value)
    kind = value if isinstance(value, type) else type(value)
    own = is_own(getattr(sys.modules.get(kind.__module__), "__file__", None) or "<")
    is_settings = dataclasses.is_dataclass(kind) != (kind is value)
    return vars(value) if own and is_settings else {}


def _said() -> set[str]:
    """What the code names, but for the keys of one dictionary and the fields of a class."""
    words, keys = set[str](), Counter[str]()
    for file in own_files():
        nodes: Sequence[ast.AST] = list(nodes_of(file))
        defined = {id(key) for one in nodes if isinstance(one, ast.Dict) for key in one.keys}
        for kind in nodes:
            if isinstance(kind, ast.ClassDef):
                defined |= {id(target) for part in kind.body for target in _targets(part)}
        for node in nodes:
            if isinstance(node, ast.Dict):
                keys.update({one.value for one in node.keys if isinstance(one, ast.Constant)
                             and isinstance(one.value, str)})  # fmt: skip
            elif id(node) not in defined:
                words.update(_words(node))
    return words | {key for key, count in keys.items() if count > 1}


def _looked_up() -> set[str]:
    """The keys for which the code has a default where a mapping lacks them: `get("beta", 0.1)`."""
    calls = [node for file in own_files() for node in nodes_of(file) if isinstance(node, ast.Call)]
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("get", "pop")
        and len(call.args) == len(("key", "default")) and isinstance(call.args[0], ast.Constant)
    }  # fmt: skip


def _targets(part: ast.stmt) -> list[ast.expr]:
    return [part.target] if isinstance(part, ast.AnnAssign) else getattr(part, "targets", [])


def _words(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.findall(r"\w+", node.value) if LISTED.fullmatch(node.value) else []
    name = getattr(node, "attr", getattr(node, "id", getattr(node, "arg", None)))
    return [name] if isinstance(name, str) else []
