"""Makes a model folder with a processor for a name on the Hub that means a model with images."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from ...small_model.healthy import END, PAD, byte_tokenizer

KINDS = (
    ("qwen[-_.]?2[-_.]?5|qwen[-_.]?3", "Qwen2_5_VL"), ("qwen", "Qwen2VL"), ("gemma", "Gemma3"),
    ("smolvlm2", "SmolVLM"), ("smolvlm|idefics", "Idefics3"),
)  # fmt: skip
"""Patterns of names and the families that they mean, as transformers calls them; else LLaVA."""

PART = (
    "{%- if m.content is string -%}{{ m.content }}{%- else -%}{%- for part in m.content -%}"
    "{%- if part.type == 'image' -%}@IMAGE@{%- else -%}{{ part.text }}{%- endif -%}"
    "{%- endfor -%}{%- endif -%}"
)
CHAT = (
    "{%- for m in messages -%}{{ '<|im_start|>' + m.role + '\\n' }}"
    + PART
    + "{{ '<|im_end|>\\n' }}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)
TEXT = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1,
        "max_position_embeddings": 8192}  # fmt: skip
SEES = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2}  # fmt: skip


def kind(name: str) -> str:
    """The family that a name means."""
    bare = name.rpartition("/")[2].lower()
    return next((family for pattern, family in KINDS if re.search(pattern, bare)), "Llava")


def written(name: str, into: Path, special: tuple[str, ...]) -> str:
    """Write config and processor of a replacement for a name, and return its model type.

    Raises what transformers raises if a package is missing that the processor needs.
    """
    importlib.import_module("PIL")
    family = kind(name)
    config, processor, values = FAMILIES[family](family, special)
    config.architectures = [f"{family}ForConditionalGeneration"]
    into.mkdir(parents=True, exist_ok=True)
    config.save_pretrained(str(into))
    processor.save_pretrained(str(into))
    _generation(values).save_pretrained(str(into))
    return str(config.model_type)


def _generation(tokens: dict[str, Any]) -> Any:
    import transformers

    return transformers.GenerationConfig(**tokens)


def _words(
    family: str, special: tuple[str, ...], added: tuple[str, ...], image: str, **tokens: str
) -> tuple[Any, dict[str, Any]]:
    """A tokenizer that has these tokens, and the ids that every config names."""
    backend = byte_tokenizer((*special, *(token for token in added if token not in special)))
    words = _tokenizer_class(family)(
        tokenizer_object=backend,
        eos_token=END,
        pad_token=PAD,
        chat_template=CHAT.replace("@IMAGE@", image),
        model_input_names=["input_ids", "attention_mask"],
        **({"extra_special_tokens": tokens} if tokens else {}),
    )
    ids = {"eos_token_id": backend.token_to_id(END), "pad_token_id": backend.token_to_id(PAD)}
    return words, {**ids, "bos_token_id": None}


def _tokenizer_class(family: str) -> Any:
    """The class that the family's processor asks for: transformers 4 refuses others of Qwen's."""
    named_class = getattr(_class(f"{family}Processor"), "tokenizer_class", None)
    return _class(named_class[-1] if isinstance(named_class, tuple) else "PreTrainedTokenizerFast")


def _class(name: str) -> Any:
    """A class of transformers; of two image processors the one that needs Pillow alone."""
    import transformers

    processor = (
        getattr(transformers, f"{name}Pil", None) if name.endswith("ImageProcessor") else None
    )
    return processor or getattr(transformers, name)


def _llava(family: str, special: tuple[str, ...]) -> tuple[Any, Any, dict[str, Any]]:
    words, ids = _words(family, special, ("<image>",), "<image>")
    sees = _class("CLIPVisionConfig")(**SEES, image_size=28, patch_size=14, projection_dim=32)
    config = _class("LlavaConfig")(
        text_config=_class("LlamaConfig")(vocab_size=len(words), **TEXT, **ids),
        vision_config=sees,
        image_token_index=words.get_vocab()["<image>"],
    )
    size = {"height": 28, "width": 28}
    pictures = _class("CLIPImageProcessor")(size={"shortest_edge": 28}, crop_size=size)
    processor = _class("LlavaProcessor")(
        pictures, words, patch_size=14, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=words.chat_template,
    )  # fmt: skip
    return config, processor, ids


def _gemma(family: str, special: tuple[str, ...]) -> tuple[Any, Any, dict[str, Any]]:
    tokens = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>",
             "image_token": "<image_soft_token>"}  # fmt: skip
    words, ids = _words(family, special, tuple(tokens.values()), tokens["boi_token"], **tokens)
    vocabulary = words.get_vocab()
    config = _class("Gemma3Config")(
        text_config=_class("Gemma3TextConfig")(
            vocab_size=len(words), head_dim=32, **{**TEXT, **ids}
        ),
        vision_config=_class("SiglipVisionConfig")(**SEES, image_size=56, patch_size=14),
        mm_tokens_per_image=4,
        boi_token_index=vocabulary[tokens["boi_token"]],
        eoi_token_index=vocabulary[tokens["eoi_token"]],
        image_token_index=vocabulary[tokens["image_token"]],
    )
    pictures = _class("Gemma3ImageProcessor")(size={"height": 56, "width": 56})
    processor = _class("Gemma3Processor")(
        pictures, words, image_seq_length=4, chat_template=words.chat_template
    )
    return config, processor, ids


def _tiled(family: str, special: tuple[str, ...]) -> tuple[Any, Any, dict[str, Any]]:
    import transformers

    added = ("<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>")
    words, ids = _words(family, special, added, "<image>")
    module = getattr(transformers.models, family.lower())
    config = _class(f"{family}Config")(
        text_config=_class("LlamaConfig")(vocab_size=len(words), **TEXT, **ids),
        vision_config=getattr(module, f"{family}VisionConfig")(
            **SEES, image_size=56, patch_size=14
        ),
        scale_factor=2,
        image_token_id=words.get_vocab()["<image>"],
        pad_token_id=ids["pad_token_id"],
    )
    edge = {"longest_edge": 56}
    pictures = _class(f"{family}ImageProcessor")(
        size=edge, max_image_size=edge, do_image_splitting=False
    )
    videos = [_class("SmolVLMVideoProcessor")()] if family == "SmolVLM" else []
    processor = _class(f"{family}Processor")(
        pictures, words, *videos, image_seq_len=4, chat_template=words.chat_template
    )
    return config, processor, ids


def _qwen(family: str, special: tuple[str, ...]) -> tuple[Any, Any, dict[str, Any]]:
    import transformers

    added = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    words, ids = _words(family, special, added, "<|vision_start|><|image_pad|><|vision_end|>")
    sees: dict[str, Any] = {"depth": 2, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2}
    if family == "Qwen2VL":
        sees.update(embed_dim=32, hidden_size=64, mlp_ratio=2)
    else:
        sees.update(hidden_size=32, intermediate_size=32, out_hidden_size=64,
                    fullatt_block_indexes=[1])  # fmt: skip
    rope = {"type": "default", "rope_type": "default", "mrope_section": [4, 6, 6]}
    text: dict[str, Any] = {"vocab_size": len(words), **TEXT, **ids}
    if five := transformers.__version__.startswith("5"):
        text["rope_parameters"] = {**rope, "rope_theta": 1e4}
    else:
        text["rope_scaling"] = rope
    tokens = {f"{name}_token_id": words.get_vocab()[f"<|{token}|>"]
              for name, token in (("image", "image_pad"), ("video", "video_pad"),
                                  ("vision_start", "vision_start"),
                                  ("vision_end", "vision_end"))}  # fmt: skip
    options = {"text_config": text, **ids} if five else text
    config = _class(f"{family}Config")(**options, vision_config=sees, **tokens)
    edge = 56 * 56
    processor = _class(f"{family}Processor")(
        _class("Qwen2VLImageProcessor")(size={"shortest_edge": edge, "longest_edge": edge}),
        words,
        _class("Qwen2VLVideoProcessor")(),
        chat_template=words.chat_template,
    )
    return config, processor, ids


FAMILIES = {"Llava": _llava, "Gemma3": _gemma, "SmolVLM": _tiled, "Idefics3": _tiled,
            "Qwen2VL": _qwen, "Qwen2_5_VL": _qwen}  # fmt: skip
