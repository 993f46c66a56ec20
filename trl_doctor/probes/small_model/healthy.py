"""Writes a healthy model: with it a broken installation differs from a broken model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..loading.config import FILE, mapping
from ..loading.small_files import copied
from .shrink import Tiny

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
END, PAD = "<|im_end|>", "<|pad|>"
ROWS, HIDDEN = 320, 16
"""Sizes of a model that is only loaded, if the run states no number of rows."""


def control(into: Path) -> dict[str, Any]:
    """Write policy and reward model into a folder; a request's `folders` and `ends` for them.

    Both are a two-layer Llama with random weights and 320 rows. The byte-level tokenizer of 260
    tokens has a pad token of its own, and its eos ends the turns of its chat template.
    """
    import transformers

    tokenizer = byte_tokenizer(SPECIAL)
    ids = {name: tokenizer.token_to_id(name) for name in SPECIAL}
    special = {"eos_token_id": ids[END], "pad_token_id": ids[PAD], "bos_token_id": None}
    config = _small_llama(320, 64, **special)
    policy, reward = into / "policy", into / "reward"
    transformers.LlamaForCausalLM(config).save_pretrained(str(policy))
    transformers.LlamaForSequenceClassification(config).save_pretrained(str(reward))
    for folder in (policy, reward):
        tokenizer.save(str(folder / "tokenizer.json"))
        write_json(folder / "tokenizer_config.json", tokenizer_options())
        write_json(folder / "generation_config.json", special)
    other_folders = {
        "reference": None,
        "reward": str(reward),
        "value": str(reward),
        "tokenizer": None,
    }
    ends = {"turn_end": ids[END], "eos": ids[END]}
    return {"folders": {"policy": str(policy), **other_folders}, "ends": ends}


def with_tokenizer_of(
    request: dict[str, Any], role: str, into: Path, end_probability: float | None = None
) -> Tiny:
    """A small Llama for any role, with the run's own tokenizer if it is local.

    `end_probability` is not used: the model is only loaded, it does not generate.
    """
    import transformers

    folders = request["folders"]
    source = Path(folders["tokenizer"] or folders["policy"])
    config_values = mapping(source / FILE)
    rows = config_values.get("vocab_size", 0)
    rows = rows if isinstance(rows, int) and rows > 0 else ROWS
    ids = ("eos_token_id", "pad_token_id", "bos_token_id")
    config = _small_llama(rows, HIDDEN, **{name: config_values.get(name) for name in ids})
    scores = role in ("reward", "value")
    kind = transformers.LlamaForSequenceClassification if scores else transformers.LlamaForCausalLM
    kind(config).save_pretrained(str(into))
    spared = {file.name for file in into.iterdir()} | {"generation_config.json"}
    copied(source, into, bool(request["trust_remote_code"]), spared)
    return Tiny(into, kind.__name__, 2, HIDDEN, 0, rows, None, None)


def _small_llama(rows: int, hidden: int, **special: Any) -> Any:
    import transformers

    return transformers.LlamaConfig(
        vocab_size=rows,
        hidden_size=hidden,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        num_labels=1,
        **special,
    )


def byte_tokenizer(special: tuple[str, ...]) -> Any:
    """Every byte a token, and the special ones after them."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({byte: id for id, byte in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(text, normalized=False, special=True) for text in special]
    )
    return tokenizer


def tokenizer_options() -> dict[str, Any]:
    """The tokenizer_config.json of such a tokenizer: its template's turns end with its eos."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "model_max_length": 4096,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
        "eos_token": END,
        "pad_token": PAD,
    }


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file as transformers does."""
    path.write_text(json.dumps(content, indent=2), "utf-8")
