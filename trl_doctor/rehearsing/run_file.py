"""Writes what a script's live objects became as a run file and model folders, for the rules."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from trl_doctor.core import trainer as trainers
from trl_doctor.core.finding import Json
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.resized_weights import resized

ROLES = {
    "policy": "model_name_or_path",
    "reference": "reference_model_name_or_path",
    "reward": "reward_model_name_or_path",
    "value": "value_model_name_or_path",
}
SCRIPT_KEYS = {"policy": "sft_model_path", "reward": "reward_model_path"}
"""Fields of PPOConfig that only TRL's example script reads: no trainer loads what they name."""

RUN = "run.json"
RESUME = "resume_from_checkpoint"
MODEL, TOKENIZER, ROWS = "model", "tokenizer", "train_dataset.json"
"""What is written: a run file, the folders of what the script has changed, and its first rows."""

SMALL_FILES = 64 * 1024**2


class Written(Struct, frozen=True):
    """The run file, and the source of each model by its role: the event that reported it.

    `beside` are its keys that the script says elsewhere than in the trainer's config of TRL: also
    in the fields that its own class adds.
    """

    run: Path
    models: Mapping[str, Event]
    beside: frozenset[str]


def written(events: Events, into: Path, processes: int | None) -> Written:
    """Write the run that a command built. What was made up is left out: it is not the user's."""
    built = events.last("trainer")
    config = events.last("config")
    arguments: dict[str, Json] = {}
    if config:
        arguments |= {name: value for name, value in config["given"].items() if not _opaque(value)}
    arguments |= built.get("later", {}) if built else {}
    name = _trainer(built, config)
    if name:
        arguments["trainer"] = name
    models = models_of(events, built)
    for role, key in SCRIPT_KEYS.items():
        if role in models:  # the config's own default may name another one
            arguments.pop(key, None)
    arguments |= _model_names(built, models)
    if built and "policy" not in models and _failed_before_loading(events):
        policy = built["models"].get("policy")
        if isinstance(policy, str) and not Path(policy).is_absolute():
            arguments[ROLES["policy"]] = policy
    trainings = events.of("training")
    if len(trainings) > 1 or events.number:  # what it resumes from may be what the first has saved
        arguments.pop(RESUME, None)
    elif trainings:  # trainers do not read what the config has
        arguments.pop(RESUME, None)
        if resume := trainings[0]["resume"]:
            arguments[RESUME] = resume
    if built:
        arguments |= _about(built)
        if built["sample"]:
            shutil.copyfile(built["sample"], into / ROWS)
            arguments["datasets"] = [{"path": "json", "data_files": ROWS}]
    count = _processes(events, built or config, processes)
    if count:
        arguments["num_processes"] = count
    _write_changed(events, built, models, arguments, into)
    (into / RUN).write_text(json.dumps(arguments, indent=2), "utf-8")
    own = set(config["given"]) - set(config.get("added", ())) if config else set()
    return Written(into / RUN, models, frozenset(set(arguments) - own))


def _failed_before_loading(events: Events) -> bool:
    """Whether the trainer failed while it was made, or before anything was loaded."""
    failed = any(event["stage"] == "construct" for event in events.of("failed"))
    return failed or not events.of("model")


def _trainer(built: Event | None, config: Event | None) -> str | None:
    for event in (built, config):
        trainer = trainers.named(event["name"]) if event else None
        if trainer:
            return trainer.name
    return None


def models_of(events: Events, built: Event | None) -> dict[str, Event]:
    """By role, the model that the trainer was given; without a trainer the first one loaded.

    One that the script makes from a config alone is not among them: it needs no weights, nor does
    what an earlier trainer has saved of it. What is loaded after the trainer was built may be what
    it has saved.
    """
    loaded = events.of("model")
    if built is None:
        return {"policy": loaded[0]} if loaded else {}
    done = events.last("built")
    with_weights = [
        event
        for event in events.of("loaded")
        if event.get("weights", True) and (done is None or event["time"] <= done["time"])
    ]
    roles = {}
    for role, source in built["models"].items():
        match = next((model for model in loaded if _is(model, source)), None)
        if match and any(has_loaded(event, match) for event in with_weights):
            roles[role] = match
    return roles


def has_loaded(event: Event, model: Event) -> bool:
    """Whether the weights of a model were loaded, or of what the script has made of it."""
    return event["name"] == model["name"] or _is(model, event.get("origin"))


def _is(model: Event, name: object) -> bool:
    """Whether it is the model's name, or a folder of the small model or of its replacement."""
    if not isinstance(name, str):
        return False
    folders = (model["small"], *((model["source"],) if model["origin"] == "made" else ()))
    return name == model["name"] or name.startswith(folders)


def _model_names(built: Event | None, models: Mapping[str, Event]) -> dict[str, Json]:
    """The models' names under the keys of a run file; null where the script gives None."""
    roles: dict[str, Json] = {ROLES[role]: value["name"] for role, value in models.items()
                              if role in ROLES}  # fmt: skip
    for role in ("reward", "value"):
        by_role = built["models"] if built else {}
        absent = role in by_role and by_role[role] is None
        if absent or (built and role not in by_role and f"{role}_model" in built["parameters"]):
            roles[ROLES[role]] = None
    return roles


def _about(built: Event) -> dict[str, Json]:
    about: dict[str, Json] = {}
    if built["conversational"] is not None:
        about["dataset_format"] = "conversational" if built["conversational"] else "text"
    if built["dtype"]:
        about["model_init_kwargs"] = {"dtype": built["dtype"]}
    if built["adapter"]:
        about |= {"use_peft": True, **built["adapter"]}
    functions = built["models"].get("reward functions")
    listed = functions if isinstance(functions, list) else [functions]
    names = [
        f"script.{item['name']}" for item in listed if isinstance(item, dict) and item.get("name")
    ]
    if names and len(names) == len(listed):
        about["reward_funcs"] = list(names)
    return about


def _processes(events: Events, made: Event | None, processes: int | None) -> int | None:
    """The job's processes, by its launcher, by the user, or as its trainer or config counted."""
    launched = events.last("launch")
    if launched:
        return int(launched["processes"])
    return processes or (int(made["processes"]) if made else None)


def _write_changed(
    events: Events,
    built: Event | None,
    models: Mapping[str, Event],
    arguments: dict[str, Json],
    into: Path,
) -> None:
    """Folders for what the script has changed of the policy and its tokenizer."""
    policy = models.get("policy")
    if built is None or (policy and policy["origin"] == "made"):
        return
    if policy is None and built.get("made"):
        shutil.copytree(built["made"], into / MODEL)
        arguments[ROLES["policy"]] = str(into / MODEL)
    if policy and built["changes"]:
        _changed(Path(policy["source"]), built["changes"], into / MODEL)
        arguments[ROLES["policy"]] = str(into / MODEL)
    made = (model for model in events.of("model") if model["origin"] == "made")
    source = next((model for model in made if _is(model, built.get("tokenizer_from"))), None)
    if source is not None:
        arguments["tokenizer_name_or_path"] = source["name"]
    elif built["tokenizer"] and Path(built["tokenizer"]).is_dir():
        shutil.copytree(built["tokenizer"], into / TOKENIZER)
        arguments["tokenizer_name_or_path"] = str(into / TOKENIZER)


def _changed(source: Path, changes: Mapping[str, Mapping[str, Any]], into: Path) -> None:
    """The model's small files with what the script has set, and weights of its shapes."""
    into.mkdir(parents=True)
    rows: int | None = changes.get("config.json", {}).get("vocab_size")
    for file in source.iterdir():
        small = file.is_file() and file.stat().st_size < SMALL_FILES
        if file.suffix == ".safetensors" and rows is None:
            (into / file.name).symlink_to(file.resolve())
        elif file.suffix == ".safetensors" and rows is not None:
            with suppress(OSError, ValueError, LookupError):
                resized(file, into / file.name, _vocabulary(source), rows)
        elif file.suffix in (".json", ".jinja", ".txt", ".model", ".tiktoken") and small:
            shutil.copyfile(file, into / file.name)
    for name, values in changes.items():
        path = into / name
        content = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        path.write_text(json.dumps({**content, **values}, indent=2), "utf-8")


def _vocabulary(source: Path) -> int:
    """The rows that a model's config says."""
    config = json.loads((source / "config.json").read_text("utf-8"))
    return int(config.get("vocab_size") or config["text_config"]["vocab_size"])


def _opaque(value: object) -> bool:
    """Whether a value has no JSON: only its type was reported, or it is not a finite number."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return list(value) == ["type"] or any(map(_opaque, value.values()))
    return isinstance(value, list) and any(map(_opaque, value))
