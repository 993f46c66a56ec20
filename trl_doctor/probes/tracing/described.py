"""Lays out a step that is only traced: configs and tokenizers, no weights, rows of full length."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from ..layout.rows import Rows, generated_rows, rows
from ..layout.ways import Way
from ..loading.config import FILE, of_checkpoint
from ..loading.small_files import copied
from ..refusal import Refused
from ..small_model.healthy import control
from ..small_model.shrink import Tiny, read_config
from .sizes import BATCH, LENGTH, PROMPT, arguments, filled

TOKENIZERS = ("tokenizer.json", "tokenizer_config.json")
SIZES = ("hidden_size", "n_embd", "d_model")


def described(
    request: dict[str, Any], role: str, into: Path, end_probability: float | None = None
) -> Tiny:
    """A folder with a role's config and tokenizer and no weights.

    A model without a tokenizer gets one of 260 tokens, which changes no size. `end_probability`
    is not used: nothing is generated. Raises `Refused`.
    """
    folder = request["folders"][role]
    if not folder:
        raise Refused(f"the run names no {role} model")
    config_values = of_checkpoint(Path(folder))
    config = read_config(Path(folder), bool(request["trust_remote_code"]))
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    width = next((getattr(text, name) for name in SIZES if getattr(text, name, None)), 0)
    layers = getattr(text, "num_hidden_layers", 0)
    if not (width and layers and _says_sizes(config_values, config)):
        raise Refused(f"config.json of {Path(folder).name} lacks hidden size or layers")
    into.mkdir(parents=True)
    copied(Path(folder), into, bool(request["trust_remote_code"]))
    config_values.pop("quantization_config", None)
    (into / FILE).write_text(json.dumps(config_values), "utf-8")
    if not any((into / name).exists() for name in (*TOKENIZERS, "tokenizer.model", "vocab.json")):
        _lend_tokenizer(into)
    names = config_values.get("architectures") or [config_values.get("model_type", "model")]
    return Tiny(into, str(names[0]), layers, width, 0, text.vocab_size, None, None)


def _says_sizes(values: dict[str, Any], config: Any) -> bool:
    """Whether config.json, or a part of it, says a width: otherwise a default would count."""
    names = {*SIZES, "dim", getattr(type(config), "attribute_map", {}).get("hidden_size")}
    parts = [values, *(part for part in values.values() if isinstance(part, dict))]
    return any(name in part for part in parts for name in names)


def _lend_tokenizer(into: Path) -> None:
    lent = into.parent / "lent"
    if not lent.exists():
        control(lent)
    for name in TOKENIZERS:
        (into / name).write_bytes((lent / "policy" / name).read_bytes())


def _rows(
    request: dict[str, Any], conversational: bool, config: type, tokenizer_folder: Path
) -> Rows:
    """The longest rows of the run; generated ones are as long as its arguments allow."""
    trainer, run = request["trainer"]["name"], request["arguments"]
    chosen = rows({**request, "full_size": True}, conversational)
    usual = {field.name: field.default for field in dataclasses.fields(config)}
    batch = run.get("per_device_train_batch_size", BATCH)
    count_ = 2 * (batch if isinstance(batch, int) else BATCH)
    if chosen.source == "made":
        online = trainer in ("grpo", "rloo", "ppo")
        name = "max_prompt_length" if online else "max_length"
        limit = run.get(name, usual.get(name))
        tokens = limit if isinstance(limit, int) else PROMPT if online else LENGTH
        count = _counter(tokenizer_folder, bool(request["trust_remote_code"]))
        base_rows = generated_rows(trainer, conversational, run.get("dataset_text_field"))
        grown = filled(base_rows, trainer, tokens, count)
        prompt_limit = run.get("max_prompt_length", usual.get("max_prompt_length"))
        uncut = trainer == "kto" and isinstance(prompt_limit, int) and tokens <= prompt_limit
        source = UNCUT.format(tokens) if uncut else chosen.source
        chosen = dataclasses.replace(chosen, rows=grown, source=source)
    ordered = list(reversed(chosen.rows))
    repeated = (ordered * -(-count_ // len(ordered)))[:count_]
    return dataclasses.replace(chosen, rows=repeated)


def _counter(folder: Path, trusted: bool) -> Any:
    """What counts the tokens of a text or a conversation."""
    from transformers import AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=trusted)

    def count(value: Any) -> int:
        text = value
        if not isinstance(value, str):
            text = tokens.apply_chat_template(value, tokenize=False)
        return len(tokens(text)["input_ids"])

    return count


UNCUT = "example rows of {} tokens; real ones may be longer, as max_prompt_length is not smaller"
"""Older KTO trainers cut an answer to max_length less max_prompt_length: from its end if that is
below 0."""

TRACED = Way(described, arguments, _rows)
