"""A little candidate for the rules' examples: run file, tokenizer of eight tokens, configs."""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

from trl_doctor.core.finding import Json

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_pad|>")
"""Their ids are 4 to 7, behind the letters."""

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + "
    "message['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

RUN: dict[str, Json] = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "learning_rate": 1e-06,
}
RUN_VLLM: dict[str, Json] = {**RUN, "use_vllm": True, "vllm_mode": "colocate"}


def tokenizer_files(*added: str, vocabulary: int = 4, **options: Json) -> dict[str, Json]:
    """tokenizer.json and tokenizer_config.json, with further special tokens and options.

    `vocabulary` is the number of letters before the special tokens. An option that is None
    is left out.
    """
    tokens = {str(id): _token(name) for id, name in enumerate((*SPECIAL, *added), vocabulary)}
    model: dict[str, Json] = {
        "type": "BPE",
        "vocab": {chr(ord("a") + id): id for id in range(vocabulary)},
        "merges": [],
    }
    level: Json = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    config: dict[str, Json] = {
        "added_tokens_decoder": {id: {**token} for id, token in tokens.items()},
        "chat_template": CHATML,
        "eos_token": "<|im_end|>",
        "model_max_length": 2048,
        "pad_token": "<|fim_pad|>",
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    return {
        "tokenizer.json": {
            "version": "1.0",
            "added_tokens": [{"id": int(id), **token} for id, token in tokens.items()],
            "pre_tokenizer": level,
            "decoder": level,
            "model": model,
        },
        "tokenizer_config.json": without_none({**config, **options}),
    }


def config_files(config: Mapping[str, Json] | None = None, **generation: Json) -> dict[str, Json]:
    """config.json and generation_config.json with these values; None leaves one out."""
    model: dict[str, Json] = {
        "architectures": ["LlamaForCausalLM"],
        "eos_token_id": 6,
        "model_type": "llama",
        "pad_token_id": 7,
        "vocab_size": 8,
    }
    ids: dict[str, Json] = {"eos_token_id": [6, 4], "pad_token_id": 7}
    return {
        "config.json": without_none({**model, **(config or {})}),
        "generation_config.json": without_none({**ids, **generation}),
    }


def candidate(run: Mapping[str, Json], *parts: Mapping[str, Any]) -> dict[str, Any]:
    """run.json, and the files of the folder `model` that it names; later parts overrule."""
    return {"run.json": {**run}, **under("model", *parts)}


def without_none(values: Mapping[str, Json]) -> dict[str, Json]:
    """The values without those that are None."""
    return {key: value for key, value in values.items() if value is not None}


def renumbered(files: Mapping[str, Json]) -> dict[str, Json]:
    """The files of a tokenizer whose tokens have their ids the other way round."""
    whole: Any = json.loads(json.dumps(files["tokenizer.json"]))
    words = whole["model"]["vocab"]
    whole["model"]["vocab"] = dict(zip(words, reversed(list(words.values())), strict=True))
    return {**files, "tokenizer.json": whole}


def _token(content: str) -> dict[str, Json]:
    flags = dict.fromkeys(("lstrip", "normalized", "rstrip", "single_word"), False)
    return {"content": content, **flags, "special": True}


TOKENIZER = tokenizer_files()
CONFIG = config_files()
SFT: dict[str, Json] = {**RUN, "trainer": "sft", "dataset_name": "rows.jsonl"}


def on_rows(template: str, rows: str, **arguments: Json) -> dict[str, Any]:
    """An SFT run with a chat template, on these lines of rows.jsonl."""
    run = candidate({**SFT, **arguments}, CONFIG, tokenizer_files(chat_template=template))
    return {**run, "rows.jsonl": rows}


def on_conversation(template: str, *messages: str, **arguments: Json) -> dict[str, Any]:
    """An SFT run with a chat template, on one row of messages, each as JSON."""
    return on_rows(template, f'{{"messages": [{", ".join(messages)}]}}\n', **arguments)


def under(folder: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    """The files of a folder; later parts overrule."""
    return {f"{folder}/{name}": content for part in parts for name, content in part.items()}


def weights(**shapes: tuple[int, ...]) -> bytes:
    """A model.safetensors of bfloat16 zeros; `__` in a name means a dot."""
    header: dict[str, Json] = {}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + 2 * math.prod(shape)
        header[name.replace("__", ".")] = {
            "dtype": "BF16",
            "shape": list(shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)
