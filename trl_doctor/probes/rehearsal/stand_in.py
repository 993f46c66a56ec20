"""Makes a model folder for a name on the Hub that is not here: the architecture by the name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..small_model.healthy import TEMPLATE

KINDS = (
    ("qwen[-_.]?3", "qwen3"), ("qwen", "qwen2"), ("qwq", "qwen2"), ("llama|smollm|vicuna", "llama"),
    ("gemma[-_.]?3", "gemma3_text"), ("gemma[-_.]?2", "gemma2"), ("gemma", "gemma"),
    ("mixtral", "mixtral"), ("mistral|zephyr|ministral", "mistral"), ("phi[-_.]?[34]", "phi3"),
    ("phi", "phi"), ("gpt[-_.]?2", "gpt2"), ("opt-", "opt"), ("pythia|gpt-neox", "gpt_neox"),
    ("olmo[-_.]?2", "olmo2"), ("falcon", "falcon"), ("bloom", "bloom"), ("granite", "granite"),
)  # fmt: skip
"""Patterns of names and the model types that they mean; else a Llama."""

SPARE = {"qwen2": 64, "qwen3": 64}
"""Embedding rows that a family has beyond its tokenizer's ids."""

SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>", "<|fim_pad|>", "<|begin_of_text|>",
    "<|eot_id|>", "<|finetune_right_pad_id|>", "<think>", "</think>", "<pad>", "<bos>", "<eos>",
    "<s>", "</s>", "<unk>", "<start_of_turn>", "<end_of_turn>",
)  # fmt: skip
"""Special tokens that scripts name, of all families."""

END, PAD = "<|im_end|>", "<|pad|>"


def kind(name: str) -> str:
    """The model type that a name means, as transformers calls it."""
    bare = name.rpartition("/")[2].lower()
    return next((one for pattern, one in KINDS if re.search(pattern, bare)), "llama")


def scores(name: str) -> bool:
    """Whether a name means a reward model."""
    return bool(re.search(r"reward|[-_]rm\b|deberta", name.lower()))


def written(name: str, into: Path) -> str:
    """Write config and tokenizer of a stand-in for a name; the model type that it has."""
    import transformers

    wanted = kind(name)
    known = wanted if wanted in transformers.CONFIG_MAPPING else "llama"
    into.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer()
    ids = {one: tokenizer.token_to_id(one) for one in SPECIAL}
    rows = tokenizer.get_vocab_size() + SPARE.get(known, 0)
    named = {"eos_token_id": ids[END], "pad_token_id": ids[PAD], "bos_token_id": None}
    config = transformers.AutoConfig.for_model(known, vocab_size=rows, **named)
    values = {**config.to_dict(), "architectures": [_architecture(known, scores(name))]}
    _write(into / "config.json", {**values, "_name_or_path": name})
    _write(into / "generation_config.json", named)
    tokenizer.save(str(into / "tokenizer.json"))
    _write(into / "tokenizer_config.json", _options())
    return known


def _architecture(known: str, scoring: bool) -> str:
    from transformers.models.auto import modeling_auto as auto

    table = "SEQUENCE_CLASSIFICATION" if scoring else "CAUSAL_LM"
    names: Any = getattr(auto, f"MODEL_FOR_{table}_MAPPING_NAMES")
    found = names.get(known, "LlamaForCausalLM")
    return str(found if isinstance(found, str) else found[0])


def _tokenizer() -> Any:
    """Every byte a token, and the special ones after them."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({byte: id for id, byte in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(one, normalized=False, special=True) for one in SPECIAL])
    return made


def _options() -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "model_max_length": 4096,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
        "eos_token": END,
        "pad_token": PAD,
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2), "utf-8")
