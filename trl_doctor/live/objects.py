"""What a live trainer holds, and the run file and folders that say the same to the rules."""

from __future__ import annotations

import dataclasses
import json
import math
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from trl_doctor.core import trainer as trainers
from trl_doctor.core.finding import Json
from trl_doctor.live.looks import looked_at
from trl_doctor.probes.answers.live import LiveAnswer
from trl_doctor.probes.answers.segment import Segment
from trl_doctor.probes.rehearsal import record
from trl_doctor.probes.rehearsal.trainers import live
from trl_doctor.probes.rehearsal.trainers.step import learns_from_rows
from trl_doctor.probes.watching.first_row import first_row

DERIVED = ("generation_batch_size", "steps_per_generation", "logging_dir", "run_name", "local_rank",
           "deepspeed_plugin", "ddp_timeout", "disable_tqdm", "log_level")  # fmt: skip
"""Arguments that a config fills in by itself."""

DTYPES = {"float32": ("F32", 4), "bfloat16": ("BF16", 2), "float16": ("F16", 2),
          "float64": ("F64", 8)}  # fmt: skip


class Live(Struct, frozen=True):
    """The parts of a trainer that rules ask about; None if there are none.

    `name` is the trainer's class, "" if only its parts are known. `first_row` is empty for trainers
    that generate. `looks` is what the built trainer shows.
    """

    arguments: Any
    model: Any
    tokenizer: Any
    rows: Any = None
    rewards: tuple[str, ...] = ()
    processes: int = 1
    name: str = ""
    first_row: tuple[Segment, ...] = ()
    looks: LiveAnswer | None = None


def of_trainer(trainer: Any) -> Live:
    """What a trainer holds."""
    model = trainer.model
    with suppress(AttributeError):
        model = trainer.accelerator.unwrap_model(model)
    names = [
        getattr(reward, "__name__", "reward") for reward in getattr(trainer, "reward_funcs", ())
    ]
    return Live(
        trainer.args,
        getattr(model, "policy", model),
        getattr(trainer, "processing_class", None) or getattr(trainer, "tokenizer", None),
        getattr(trainer, "train_dataset", None),
        tuple(f"script.{name}" for name in names),
        int(getattr(trainer.args, "world_size", 1)),
        type(trainer).__name__,
        first_row(trainer) if learns_from_rows(trainer) else (),
        looked_at(trainer),
    )


def names(live: Live) -> dict[str, str]:
    """What the model and the tokenizer were loaded from."""
    config = getattr(_base(live.model), "config", None)
    return {
        "model": str(getattr(config, "_name_or_path", "") or ""),
        "tokenizer": str(getattr(live.tokenizer, "name_or_path", "") or ""),
    }


def written(held: Live, into: Path) -> tuple[Path, frozenset[str]]:
    """Write a run file and folders that say what is held; the file, and its keys from elsewhere."""
    arguments = dict(_changed_arguments(held.arguments))
    beside: dict[str, Json] = {"num_processes": held.processes}
    name = trainers.named(type(held.arguments).__name__)
    if name:
        beside["trainer"] = name.name
    if held.model is not None:
        _model(_base(held.model), into / "model", held.tokenizer)
        beside["model_name_or_path"] = str(into / "model")
        if kind := live.dtype(held.model):
            beside["model_init_kwargs"] = {"dtype": kind}
    if _saved(held.tokenizer, into / "tokenizer"):
        beside["tokenizer_name_or_path"] = str(into / "tokenizer")
    talk = live.conversational(held.rows)
    if talk is not None and name and name.name in ("grpo", "rloo"):
        beside["dataset_format"] = "conversational" if talk else "text"
    adapter = live.adapter(None, held.model)
    if adapter:
        beside |= {"use_peft": True, **adapter}
    if held.rewards:
        beside["reward_funcs"] = list(held.rewards)
    (into / "run.json").write_text(json.dumps({**arguments, **beside}, indent=2), "utf-8")
    return into / "run.json", frozenset(beside)


def _changed_arguments(arguments: Any) -> Iterator[tuple[str, Json]]:
    """The arguments that are not what the config class takes by itself."""
    for field in dataclasses.fields(arguments):
        value = getattr(arguments, field.name, None)
        usual = (
            field.default
            if field.default_factory is dataclasses.MISSING
            else field.default_factory()
        )
        plain_value = record.as_json(value)
        opaque = isinstance(plain_value, dict) and list(plain_value) == ["type"]
        opaque = opaque or (isinstance(plain_value, float) and not math.isfinite(plain_value))
        if (
            field.init
            and field.name not in DERIVED
            and not opaque
            and plain_value != record.as_json(usual)
        ):
            yield field.name, plain_value


def _base(model: Any) -> Any:
    """The model under an adapter."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _model(model: Any, into: Path, tokenizer: Any) -> None:
    """The live configs, and the weights' names and shapes; the files that an engine would read.

    The tokenizer is that of the folder the model came from, where it is here: an engine reads that.
    """
    into.mkdir()
    with suppress(Exception):  # its own save says what is wrong with it
        model.config.save_pretrained(str(into))
    generation = getattr(model, "generation_config", None)
    if generation is not None:
        (into / "generation_config.json").write_text(generation.to_json_string(), "utf-8")
    _weights(model, into / "model.safetensors")
    source = Path(getattr(model.config, "_name_or_path", "") or "/nowhere")
    if (source / "tokenizer_config.json").is_file():
        for file in source.iterdir():
            if (
                file.is_file()
                and file.suffix in (".json", ".jinja", ".model", ".txt")
                and not (into / file.name).exists()
                and ".index." not in file.name
            ):
                (into / file.name).symlink_to(file.resolve())
    else:
        _saved(tokenizer, into)


def _weights(model: Any, into: Path) -> None:
    """A file with the names and shapes of all weights, and a hole for the numbers."""
    header, end = {}, 0
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            continue
        shape = list(getattr(parameter, "ds_shape", parameter.shape))
        kind, size = DTYPES.get(str(parameter.dtype).rpartition(".")[2], ("F32", 4))
        for length in shape:
            size *= length
        plain = name.replace(".base_layer", "")
        header[plain] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    with into.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


def _saved(tokenizer: Any, into: Path) -> bool:
    """Save a tokenizer as it is now; whether that went well."""
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    if not hasattr(tokenizer, "save_pretrained"):
        return False
    try:
        tokenizer.save_pretrained(str(into))
    except Exception:  # a tokenizer of another shape
        return False
    return True
