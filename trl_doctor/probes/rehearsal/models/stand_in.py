"""Makes a model folder for a name on the Hub that is not here: the architecture by the name."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

from ...small_model.healthy import END, PAD, byte_tokenizer, tokenizer_options, write_json

KINDS = (
    ("qwen[-_.]?3", "qwen3"), ("qwen", "qwen2"), ("qwq", "qwen2"), ("llama|smollm|vicuna", "llama"),
    ("gemma[-_.]?3", "gemma3_text"), ("gemma[-_.]?2", "gemma2"), ("gemma", "gemma"),
    ("mixtral", "mixtral"), ("mistral|zephyr|ministral", "mistral"), ("phi[-_.]?[34]", "phi3"),
    ("phi", "phi"), ("gpt[-_.]?2", "gpt2"), ("opt-", "opt"), ("pythia|gpt-neox", "gpt_neox"),
    ("olmo[-_.]?2", "olmo2"), ("falcon", "falcon"), ("bloom", "bloom"), ("granite", "granite"),
)  # fmt: skip
"""Patterns of names and the model types that they mean; else a Llama."""

IMAGES = re.compile(r"[-_.\d]vl(?![a-z])|vlm|vision|llava|paligemma|idefics|pixtral|molmo", re.I)
"""Names of models that take images."""

ENCODERS = re.compile(r"bert|electra|minilm|(?<![a-z])(?:bge|e5|gte)(?![a-z])", re.I)
"""Names of encoders. A Llama takes their places, too."""

POSITIONS = 8192
"""Positions at least: a token of a replacement is a byte, so that texts have four times as many."""

SPARE = {"qwen2": 64, "qwen3": 64}
"""Embedding rows that a family has beyond its tokenizer's ids."""

TEMPLATES = {"qwen2": "qwen2_5.jinja", "qwen3": "qwen3.jinja"}
"""Files of trl with the chat templates of families whose turns end as those of a stand-in do."""

SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>", "<|fim_pad|>", "<|begin_of_text|>",
    "<|eot_id|>", "<|finetune_right_pad_id|>", "<think>", "</think>", "<pad>", "<bos>", "<eos>",
    "<s>", "</s>", "<unk>", "<start_of_turn>", "<end_of_turn>",
)  # fmt: skip
"""Special tokens that scripts name, of all families."""


def kind(name: str) -> str:
    """The model type that a name means, as transformers calls it."""
    bare = name.rpartition("/")[2].lower()
    return next((family for pattern, family in KINDS if re.search(pattern, bare)), "llama")


def takes_images(name: str) -> bool:
    """Whether a name means a model that takes images."""
    return bool(IMAGES.search(name.rpartition("/")[2]))


def reads_both_ways(name: str) -> bool:
    """Whether a name means an encoder, which marks the ends of each text, also of an empty one."""
    return bool(ENCODERS.search(name.rpartition("/")[2]))


def scores(name: str) -> bool:
    """Whether a name means a reward model."""
    return bool(re.search(r"reward|[-_]rm\b|deberta", name.lower()))


def written(name: str, into: Path) -> str:
    """Write config and tokenizer of a replacement for a name, and return its model type."""
    import transformers

    family = kind(name)
    model_type = family if family in transformers.CONFIG_MAPPING else "llama"
    into.mkdir(parents=True, exist_ok=True)
    tokenizer = byte_tokenizer(SPECIAL)
    ids = {token: tokenizer.token_to_id(token) for token in SPECIAL}
    rows = tokenizer.get_vocab_size() + SPARE.get(model_type, 0)
    special = {"eos_token_id": ids[END], "pad_token_id": ids[PAD], "bos_token_id": None}
    heads = {"num_labels": 1} if scores(name) else {}
    config = transformers.AutoConfig.for_model(model_type, vocab_size=rows, **special, **heads)
    if getattr(config, "max_position_embeddings", POSITIONS) < POSITIONS:
        config.max_position_embeddings = POSITIONS
    values = {**config.to_dict(), "architectures": [_architecture(model_type, scores(name))]}
    write_json(into / "config.json", {**values, "_name_or_path": name})
    write_json(into / "generation_config.json", special)
    if reads_both_ways(name):
        _mark_ends(tokenizer)
    tokenizer.save(str(into / "tokenizer.json"))
    write_json(into / "tokenizer_config.json", {**tokenizer_options(), **_template(family)})
    return model_type


def _mark_ends(tokenizer: Any) -> None:
    from tokenizers.processors import TemplateProcessing

    ends = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    pair = "<s> $A </s> $B </s>"
    tokenizer.post_processor = TemplateProcessing("<s> $A </s>", pair, special_tokens=ends)


def _template(family: str) -> dict[str, str]:
    """The family's own chat template, where the installed trl brings it."""
    spec = importlib.util.find_spec("trl")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder, "chat_templates", TEMPLATES.get(family, "none"))
        if file.is_file():
            return {"chat_template": file.read_text("utf-8")}
    return {}


def _architecture(model_type: str, scoring: bool) -> str:
    from transformers.models.auto import modeling_auto as auto

    table = "SEQUENCE_CLASSIFICATION" if scoring else "CAUSAL_LM"
    names: Any = getattr(auto, f"MODEL_FOR_{table}_MAPPING_NAMES")
    architecture = names.get(model_type, "LlamaForCausalLM")
    return str(architecture if isinstance(architecture, str) else architecture[0])
