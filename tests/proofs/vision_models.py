"""Writes tiny models that see images: `python vision_models.py KIND FOLDER [ROWS]`.

The model and its processor are written to FOLDER/model, rows with images to FOLDER/rows.parquet.
It runs in an environment with transformers and Pillow. The text part is a two-layer model of 64
dimensions, images become a few patches. The tokenizer is that of the fixtures, with the tokens of
the kind added.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer

HEALTHY = Path(__file__).parents[2] / "fixtures/models/healthy"
TEXT = {
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 4096,
    "eos_token_id": 298,
    "pad_token_id": 299,
    "bos_token_id": None,
}
SEES = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2}  # fmt: skip
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


def tokenizer(added: list[str], **named: str) -> transformers.PreTrainedTokenizerFast:
    """The healthy fixture's tokenizer with more special tokens, some of them with a name."""
    backend = Tokenizer.from_file(str(HEALTHY / "tokenizer.json"))
    backend.add_special_tokens(added)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="<|im_end|>",
        pad_token="<|fim_pad|>",
        model_input_names=["input_ids", "attention_mask"],
        **({"extra_special_tokens": named} if named else {}),
    )


def rows(tokens: transformers.PreTrainedTokenizerFast) -> int:
    """Rows of an embedding that has one for each token."""
    return -(-len(tokens) // 16) * 16


def images(name: str, **options: object) -> object:
    """An image processor that needs Pillow alone, where the release has two kinds.

    None where Pillow is not installed.
    """
    if importlib.util.find_spec("PIL") is None:
        return None
    for class_name in (f"{name}Pil", name):
        if hasattr(transformers, class_name):
            return getattr(transformers, class_name)(**options)
    raise AttributeError(name)


def llava() -> tuple[object, object]:
    """Four patches an image of 28 pixels."""
    words = tokenizer(["<image>"])
    text = transformers.LlamaConfig(vocab_size=rows(words), **TEXT)
    sees = transformers.CLIPVisionConfig(**SEES, image_size=28, patch_size=14, projection_dim=32)
    config = transformers.LlavaConfig(
        text_config=text, vision_config=sees, image_token_index=words.get_vocab()["<image>"]
    )
    size = {"height": 28, "width": 28}
    pictures = images("CLIPImageProcessor", size={"shortest_edge": 28}, crop_size=size)
    if pictures is None:
        words.chat_template = CHAT.replace("@IMAGE@", "<image>")
        return transformers.LlavaForConditionalGeneration(config), words
    processor = transformers.LlavaProcessor(
        pictures,
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT.replace("@IMAGE@", "<image>"),
    )
    return transformers.LlavaForConditionalGeneration(config), processor


def gemma3() -> tuple[object, object]:
    """Four soft tokens an image of 56 pixels."""
    names = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>",
             "image_token": "<image_soft_token>"}  # fmt: skip
    words = tokenizer(list(names.values()), **names)
    vocabulary = words.get_vocab()
    text = transformers.Gemma3TextConfig(vocab_size=rows(words), head_dim=32, **TEXT)
    sees = transformers.SiglipVisionConfig(**SEES, image_size=56, patch_size=14)
    config = transformers.Gemma3Config(
        text_config=text,
        vision_config=sees,
        mm_tokens_per_image=4,
        boi_token_index=vocabulary["<start_of_image>"],
        eoi_token_index=vocabulary["<end_of_image>"],
        image_token_index=vocabulary["<image_soft_token>"],
        eos_token_id=298,
    )
    pictures = images("Gemma3ImageProcessor", size={"height": 56, "width": 56})
    processor = transformers.Gemma3Processor(
        pictures,
        words,
        image_seq_length=4,
        chat_template=CHAT.replace("@IMAGE@", names["boi_token"]),
    )
    return transformers.Gemma3ForConditionalGeneration(config), processor


def tiled(name: str) -> tuple[object, object]:
    """Idefics 3 and SmolVLM: one tile, four tokens; the latter needs torchvision for videos."""
    added = ["<fake_token_around_image>", "<image>", "<global-img>", "<end_of_utterance>"]
    words = tokenizer(added)
    text = transformers.LlamaConfig(vocab_size=rows(words), **TEXT)
    module = getattr(transformers.models, name.lower())
    sees = getattr(module, f"{name}VisionConfig")(**SEES, image_size=56, patch_size=14)
    config = getattr(transformers, f"{name}Config")(
        text_config=text,
        vision_config=sees,
        scale_factor=2,
        image_token_id=words.get_vocab()["<image>"],
        pad_token_id=299,
        eos_token_id=298,
    )
    pictures = images(
        f"{name}ImageProcessor",
        size={"longest_edge": 56},
        max_image_size={"longest_edge": 56},
        do_image_splitting=False,
    )
    videos = [transformers.SmolVLMVideoProcessor()] if name == "SmolVLM" else []
    processor = getattr(transformers, f"{name}Processor")(
        pictures, words, *videos, image_seq_len=4, chat_template=CHAT.replace("@IMAGE@", "<image>")
    )
    return getattr(transformers, f"{name}ForConditionalGeneration")(config), processor


def qwen(part: str) -> tuple[object, object]:
    """Qwen 2 VL and 2.5 VL; their processor of videos needs torchvision."""
    added = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    words = tokenizer(added)
    vocabulary = words.get_vocab()
    sees = {"depth": 2, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2}
    if part == "Qwen2VL":
        sees.update(embed_dim=32, hidden_size=64, mlp_ratio=2)
    else:
        sees.update(hidden_size=32, intermediate_size=32, out_hidden_size=64,
                    fullatt_block_indexes=[1])  # fmt: skip
    kind = {"Qwen2VL": "Qwen2VL", "Qwen2_5_VL": "Qwen2_5_VL"}[part]
    rope = {"type": "default", "rope_type": "default", "mrope_section": [4, 6, 6]}
    text = {"vocab_size": rows(words), **TEXT}
    five = transformers.__version__.startswith("5")
    text.update(
        {"rope_parameters": {**rope, "rope_theta": 1e4}} if five else {"rope_scaling": rope}
    )
    config = getattr(transformers, f"{kind}Config")(
        **({"text_config": text} if five else text),
        vision_config=sees,
        image_token_id=vocabulary["<|image_pad|>"],
        video_token_id=vocabulary["<|video_pad|>"],
        vision_start_token_id=vocabulary["<|vision_start|>"],
        vision_end_token_id=vocabulary["<|vision_end|>"],
        eos_token_id=298,
        pad_token_id=299,
    )
    size = {"shortest_edge": 56 * 56, "longest_edge": 56 * 56}
    pictures = images("Qwen2VLImageProcessor", size=size)
    processor = getattr(transformers, f"{kind}Processor")(
        pictures,
        words,
        transformers.Qwen2VLVideoProcessor(),
        chat_template=CHAT.replace("@IMAGE@", "<|vision_start|><|image_pad|><|vision_end|>"),
    )
    return getattr(transformers, f"{kind}ForConditionalGeneration")(config), processor


KINDS = {
    "llava": llava,
    "gemma3": gemma3,
    "idefics3": lambda: tiled("Idefics3"),
    "smolvlm": lambda: tiled("SmolVLM"),
    "qwen2_vl": lambda: qwen("Qwen2VL"),
    "qwen2_5_vl": lambda: qwen("Qwen2_5_VL"),
}


def turn(role: str, text: str) -> list[dict[str, str]]:
    """A conversation of one message."""
    return [{"role": role, "content": text}]


def row(form: str, number: int) -> dict[str, object]:
    """A row of a trainer with an image of one colour."""
    from PIL import Image

    image = Image.new("RGB", (60, 40), (40 * number, 80, 120))
    question, answer = turn("user", "What is this?"), turn("assistant", "A colour.")
    if form == "sft":
        return {"images": [image], "messages": question + answer}
    if form == "completion":
        return {"images": [image], "prompt": question, "completion": answer}
    if form == "dpo":
        other = turn("assistant", "No.")
        return {"images": [image], "prompt": question, "chosen": answer, "rejected": other}
    return {"image": image, "prompt": question}


def main(kind: str, folder: str, form: str = "") -> None:
    """Write the model and its processor, and perhaps rows.parquet beside it."""
    if form:
        from datasets import Dataset

        Dataset.from_list([row(form, n) for n in range(4)]).to_parquet(f"{folder}/rows.parquet")
    folder = f"{folder}/model"
    torch.manual_seed(0)
    model, processor = KINDS[kind]()
    model.generation_config.pad_token_id = 299
    model.generation_config.eos_token_id = 298
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
