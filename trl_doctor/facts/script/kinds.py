"""What kind of value a trainer is given: a config, rows, a tokenizer, a model, an adapter."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from trl_doctor.files.source.values import LibraryObject, Value

Kind: TypeAlias = Literal["config", "data set", "tokenizer", "model", "adapter's config"]

LOADED = re.compile(
    r"datasets\.(load_dataset|load_from_disk|concatenate_datasets|interleave_datasets"
    r"|(Dataset|IterableDataset)\.from_\w+)"
)
ROWS_STAY = frozenset(
    ["map", "filter", "select", "shuffle", "rename_column", "rename_columns", "remove_columns",
     "select_columns", "shard", "take", "skip", "sort", "train_test_split"]
)  # fmt: skip
"""Methods after which a data set is one, or a dictionary of several."""

TOKENIZER = re.compile(r"transformers\.(AutoTokenizer|AutoProcessor|\w+Tokenizer(Fast)?)")
MODEL = re.compile(
    r"transformers\.(AutoModel(For)?\w*|\w+For(CausalLM|SequenceClassification))|peft\.\w*PeftModel\w*"
)
CONFIG = re.compile(r"(trl|transformers)\.(\w+\.)*(\w+Config|TrainingArguments)")
NO_ARGUMENTS = re.compile(
    r".*\.(GenerationConfig|PretrainedConfig|BitsAndBytesConfig|\w*ModelConfig)"
)
"""Configs of TRL and transformers that are no trainer's."""

ADAPTER = re.compile(r"peft\.(\w+\.)*\w+Config")


def kind_of(value: Value | None) -> Kind | None:
    """The kind of a value; None where that is not sure."""
    if not isinstance(value, LibraryObject):
        return None
    if _is_data_set(value):
        return "data set"
    if value.base is not None:
        return None
    loader, _, method = value.of.rpartition(".")
    if method == "from_pretrained":
        kinds: dict[Kind, re.Pattern[str]] = {"tokenizer": TOKENIZER, "model": MODEL}
        return next((kind for kind, names in kinds.items() if names.fullmatch(loader)), None)
    if ADAPTER.fullmatch(value.of):
        return "adapter's config"
    is_config = CONFIG.fullmatch(value.of) and not NO_ARGUMENTS.fullmatch(value.of)
    return "config" if is_config else None


def _is_data_set(value: LibraryObject) -> bool:
    """Whether it is a loaded data set, or one of its splits, after methods that keep rows."""
    splits = 0
    while value.base is not None:
        name = value.of.removeprefix(value.base.of)
        splits += name.startswith("[")
        if splits > 1 or not (name.startswith("[") or name.removeprefix(".") in ROWS_STAY):
            return False
        value = value.base
    return LOADED.fullmatch(value.of) is not None
