"""Makes the checkpoint that the benchmarks examine: a large tokenizer, configs, tiny weights."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_pad|>"]
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": "<|im_end|>",
    "pad_token": "<|fim_pad|>",
    "chat_template": CHATML,
    "model_max_length": 32768,
}


def make(folder: Path, tokens: int) -> Path:
    """A model folder whose byte-level BPE has `tokens` tokens, with as many merges less 256."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "tokenizer.json": _tokenizer(tokens),
        "tokenizer_config.json": TOKENIZER_CONFIG,
        "config.json": _config(tokens),
        "generation_config.json": {"eos_token_id": tokens - 2, "pad_token_id": tokens - 1},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2, ensure_ascii=False))
    (folder / "model.safetensors").write_bytes(_weights(tokens + 64))
    return folder


def _tokenizer(tokens: int) -> dict[str, Any]:
    vocabulary, merges = _merged(tokens - len(SPECIAL))
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [
        {"id": tokens - len(SPECIAL) + number, "content": token, **plain, "special": True}
        for number, token in enumerate(SPECIAL)
    ]
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": vocabulary,
            "merges": merges,
        },
    }


def _config(tokens: int) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": tokens + 64,
        "hidden_size": 4,
        "intermediate_size": 8,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "num_hidden_layers": 0,
        "eos_token_id": tokens - 2,
        "pad_token_id": tokens - 1,
    }


def _merged(size: int) -> tuple[dict[str, int], list[str]]:
    """A vocabulary in which every token after the first 256 is the merge of two before it."""
    source = random.Random(20)
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 256))]
    letters += [chr(256 + number) for number in range(256 - len(letters))]
    tokens, seen, merges = list(letters), set(letters), list[str]()
    while len(tokens) < size:
        first, second = tokens[source.randrange(len(tokens) // 2 + 1)], source.choice(letters)
        if first + second not in seen:
            seen.add(first + second)
            tokens.append(first + second)
            merges.append(f"{first} {second}")
    return {token: id for id, token in enumerate(tokens)}, merges


def _weights(rows: int) -> bytes:
    data = bytes(rows * 4 * 2)
    span = [0, len(data)]
    tensor = {"dtype": "BF16", "shape": [rows, 4], "data_offsets": span}
    header = json.dumps({"model.embed_tokens.weight": tensor}).encode()
    return struct.pack("<Q", len(header)) + header + data
