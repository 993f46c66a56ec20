"""What live objects have become: the tokenizer after edits, the config as it was changed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ...loading.config import mapping
from ...reward_functions.source import name_of
from ..record import as_json
from .reward_calls.reward_objects import is_function

TOLD = ("vocab_size", "pad_token_id", "eos_token_id", "bos_token_id", "use_cache",
        "tie_word_embeddings", "num_labels")  # fmt: skip
ROWS, LONGEST = 64, 16 * 1024**2
"""The most rows of a data set that are reported, and the most characters of them together."""

GENERATION = ("pad_token_id", "eos_token_id", "bos_token_id", "do_sample", "temperature", "top_p",
              "top_k", "max_length", "max_new_tokens", "repetition_penalty")  # fmt: skip
ADAPTER = {"r": "lora_r", "lora_alpha": "lora_alpha", "lora_dropout": "lora_dropout",
           "target_modules": "lora_target_modules", "task_type": "lora_task_type",
           "modules_to_save": "lora_modules_to_save"}  # fmt: skip
"""What PEFT's config calls what a run file says."""


def named(given: Any) -> Any:
    """What a trainer was given for a model: its name or folder, None, or what else it is."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)):
        return [named(model) for model in given]
    name = getattr(getattr(given, "config", None), "_name_or_path", None)
    if isinstance(name, str) and name:
        return name
    return {"type": type(given).__name__, "name": name_of(given) if is_function(given) else ""}


def dtype(model: Any) -> str | None:
    """The dtype of a live model's weights; None if it has none, or is only a name."""
    kind = str(getattr(model, "dtype", None))
    return kind.rpartition(".")[2] if kind.startswith("torch.") else None


def saved_tokenizer(tokenizer: Any, folder: Path) -> str | None:
    """The folder, with the tokenizer in its present state."""
    if not hasattr(tokenizer, "save_pretrained"):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    try:
        tokenizer.save_pretrained(str(folder))
    except Exception:  # its own fault is another's finding
        return None
    return str(folder)


def changes(model: Any, origin: Callable[[str], str]) -> dict[str, Any]:
    """What differs between a live model's configs and the files of the model that it comes from."""
    if isinstance(model, str):
        model = _saved(model) if origin(model) != model else None
    config = getattr(model, "config", None)
    folder = origin(getattr(config, "_name_or_path", "") or "")
    if config is None or not Path(folder).is_dir():
        return {}
    differing = {"config.json": _differing(config, Path(folder) / "config.json", TOLD)}
    generation = getattr(model, "generation_config", None)
    if generation is not None:
        file = Path(folder) / "generation_config.json"
        if file.is_file():
            differing[file.name] = _differing(generation, file, GENERATION)
    return {name: value for name, value in differing.items() if value}


def _saved(name: str) -> Any:
    """The configs of a model that the script has saved, as a live model has them."""
    config = SimpleNamespace(**{**mapping(Path(name) / "config.json"), "_name_or_path": name})
    generation = SimpleNamespace(**mapping(Path(name) / "generation_config.json"))
    return SimpleNamespace(config=config, generation_config=generation)


def _differing(config: Any, file: Path, names: tuple[str, ...]) -> dict[str, Any]:
    try:
        before = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    now = {name: getattr(config, name, None) for name in names}
    text = before.get("text_config") or {}
    return {
        name: as_json(value)
        for name, value in now.items()
        if value != before.get(name, text.get(name)) and (name in before or value is not None)
        and not _usual(name, value, before)
    }  # fmt: skip


def _usual(name: str, value: Any, before: dict[str, Any]) -> bool:
    """Whether a value is only the library's default."""
    return name not in before and name not in ("pad_token_id", "eos_token_id")


def adapter(given: Any, model: Any) -> dict[str, Any] | None:
    """A LoRA config, as a run file says it; None if there is none."""
    if given is None:
        peft_configs = getattr(model, "peft_config", None)
        given = (
            next(iter(peft_configs.values()))
            if isinstance(peft_configs, dict) and peft_configs
            else None
        )
    if given is None:
        return None
    values = {key: as_json(getattr(given, name, None)) for name, key in ADAPTER.items()}
    return {
        name: sorted(value) if isinstance(value, set) else value
        for name, value in values.items()
        if value is not None
    }


def conversational(rows: Any) -> bool | None:
    """Whether rows hold messages; None if none can be examined."""
    try:
        row = next(iter(rows))
    except Exception:
        return None
    if not isinstance(row, dict):
        return None
    names = ("messages", "prompt", "completion", "chosen", "rejected", "conversations")
    return any(
        isinstance(row.get(name), list) and row[name] and isinstance(row[name][0], dict)
        for name in names
    )


def pads_right(tokenizer: Any, rows: Any) -> bool:
    """Whether the tokenizer pads after token ids of the first rows: in a batch, or in the rows.

    False if that cannot be examined.
    """
    if getattr(tokenizer, "padding_side", None) != "right":
        return False
    try:
        ids = [list(row["input_ids"]) for row in itertools.islice(iter(rows), ROWS)]
    except Exception:
        return False
    padding = [getattr(tokenizer, "pad_token_id", None)] * 2
    return len({len(row) for row in ids}) > 1 or any(row[-2:] == padding for row in ids)


def sample(rows: Any, file: Path) -> str | None:
    """The file, with the first rows as the trainer gets them, in JSON.

    None if there is no row, or one has a value that JSON does not have (an image, a tensor).
    """
    try:
        first = [dict(row) for row in itertools.islice(iter(rows), ROWS)]
        text = json.dumps(first, allow_nan=False)
    except Exception:
        return None
    if not first or len(text) > LONGEST:
        return None
    file.write_text(text, "utf-8")
    return str(file)
