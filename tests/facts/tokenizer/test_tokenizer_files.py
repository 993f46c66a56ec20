"""Vocabularies in other files, chat templates, and what transformers refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version
from tokenizer_ground import (
    BOTH,
    CONFIG,
    FIVE,
    FOUR,
    GENERIC,
    LLAMA,
    MAP,
    QWEN,
    decoder,
    folder_of,
    made,
    roles,
    tokenizer_json,
)

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.tokenizer import MadeUp, Unloadable, read_tokenizer

# Vocabularies in other files


@pytest.mark.parametrize("release", BOTH)
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("GPT2Tokenizer", {"vocab.json": {"a": 0, "b": 1}, "merges.txt": "#version: 0.2\n"}),
        ("BertTokenizer", {"vocab.txt": "a\nb\n"}),
        ("LlamaTokenizer", {"tokenizer.model": b"\n\x03\n\x01a\n\x05\n\x01b\x18\x01"}),
    ],
)
def test_without_tokenizer_json(tmp_path: Path, release: str, name: str, files: Any) -> None:
    config = {"tokenizer_class": name, "eos_token": "b", "pad_token": "<p>"}
    rest = dict.fromkeys(("bos_token", "unk_token", "sep_token", "cls_token", "mask_token"), "a")
    result = made(tmp_path, {CONFIG: config | rest, **files}, release)
    assert roles(result)["eos"] == ("b", 1)
    assert roles(result)["pad"] == ("<p>", 2)
    assert result.length == 3


def test_the_control_tokens_of_a_sentencepiece_model_are_added(tmp_path: Path) -> None:
    model = b"\n\x05\n\x01a\x18\x01\n\x07\n\x03<c>\x18\x03\n\x07\n\x03<u>\x18\x04\n\x03\n\x01b"
    files = {CONFIG: LLAMA | {"eos_token": "b"}, "tokenizer.model": model}
    four, five = made(tmp_path, files, FOUR), made(tmp_path, files, FIVE)
    assert {four.added[1].content, four.added[2].content} == {"<c>", "<u>"}
    assert five.extra == ("<c>", "<u>")
    assert (five.added[1].special, five.added[2].special) == (True, False)


@pytest.mark.parametrize("release", BOTH)
def test_without_any_vocabulary_the_other_files_are_read(tmp_path: Path, release: str) -> None:
    claims = {"added_tokens_decoder": decoder(_151645="<|im_end|>", _151643="<|endoftext|>")}
    result = made(tmp_path, {CONFIG: QWEN | claims | {"eos_token": "<|im_end|>"}}, release)
    assert roles(result)["eos"] == ("<|im_end|>", 151645)
    assert roles(result)["pad"] == ("<|endoftext|>", 151643)
    assert "<|im_end|>" in result.special
    with pytest.raises(Unloadable):
        _ = result.length


def test_transformers_5_makes_a_vocabulary_up(tmp_path: Path) -> None:
    result = made(tmp_path, {CONFIG: LLAMA | {"pad_token": "<pad>"}}, FIVE)
    assert isinstance(result.vocabulary_or_reason, MadeUp)
    assert result.vocabulary_or_reason.vocabulary.length == 4
    assert result.vocabulary_or_reason.vocabulary.id("</s>") == 2
    assert "there is no vocabulary file" in str(result.vocabulary_or_reason)


@pytest.mark.parametrize(
    ("files", "release", "says"),
    [
        ({CONFIG: GENERIC}, FIVE, "there is neither tokenizer.json nor tokenizer.model"),
        ({CONFIG: QWEN, "vocab.json": {}}, FIVE, "there is neither tokenizer.json nor merges.txt"),
        ({CONFIG: QWEN}, FOUR, "there is neither tokenizer.json nor vocab.json"),
        ({CONFIG: GENERIC, "tekken.json": {}}, FIVE, "makes the vocabulary of tekken.json in code"),
        ({CONFIG: {"tokenizer_class": "ByT5Tokenizer"}}, FIVE, "makes its vocabulary in code"),
        ({CONFIG: LLAMA, "tokenizer.model": b"\xff\xff"}, FIVE, "is no sentencepiece model"),
        (
            {CONFIG: {"tokenizer_class": "XLMRobertaTokenizer"}, "sentencepiece.bpe.model": b"x"},
            FOUR,
            "rearranges sentencepiece.bpe.model",
        ),
        (
            {CONFIG: {"tokenizer_class": "T5Tokenizer"}, "tokenizer.json": tokenizer_json("a")},
            FIVE,
            "needs tokens with weights",
        ),
    ],
)
def test_why_there_is_no_vocabulary(tmp_path: Path, files: Any, release: str, says: str) -> None:
    try:
        result: object = made(tmp_path, files, release).vocabulary_or_reason
    except Unavailable as reason:
        result = reason
    assert isinstance(result, Unavailable)
    assert says in str(result)


# What is refused


@pytest.mark.parametrize(
    ("files", "release", "says"),
    [
        (
            {CONFIG: {"tokenizer_class": "TokenizersBackend"}},
            FOUR,
            "TokenizersBackend is not in",
        ),
        ({}, FOUR, "no file names a tokenizer_class or a model_type"),
        ({"config.json": {"model_type": "mine"}}, FOUR, "no tokenizer for the model_type 'mine'"),
        ({CONFIG: {"auto_map": {"AutoTokenizer": ["x.Y", None]}}}, FIVE, "the folder's own code"),
        ({CONFIG: {"auto_map": ["x.Y", None]}}, FOUR, "the folder's own code"),
        ({CONFIG: GENERIC | {"extra_special_tokens": ["<i>"]}}, FOUR, "is no object"),
        ({CONFIG: GENERIC | {"extra_special_tokens": None}}, FOUR, "is no object"),
        ({CONFIG: GENERIC | {"pad_token": {"content": "<pad>"}}}, FIVE, "pad_token"),
        ({CONFIG: GENERIC | {"pad_token": 3}}, FOUR, "pad_token in tokenizer_config.json"),
        ({CONFIG: GENERIC | {"pad_token": ["<pad>"]}}, FIVE, "pad_token"),
        ({CONFIG: GENERIC | {"additional_special_tokens": "<i>"}}, FIVE, "is no list"),
        ({CONFIG: GENERIC, MAP: {"additional_special_tokens": [{"content": "<i>"}]}}, FIVE, MAP),
        (
            {
                CONFIG: GENERIC | {"additional_special_tokens": 3},
                MAP: {"additional_special_tokens": []},
            },
            FOUR,
            "additional_special_tokens in tokenizer_config.json is no list",
        ),
        ({CONFIG: GENERIC | {"added_tokens_decoder": []}}, FIVE, "is no object"),
        ({CONFIG: GENERIC | {"added_tokens_decoder": {"x": {"content": "a"}}}}, FIVE, "id 'x'"),
        ({CONFIG: GENERIC | {"added_tokens_decoder": {"1": "a"}}}, FOUR, "is no object"),
        ({CONFIG: GENERIC | {"added_tokens_decoder": {"1": {}}}}, FOUR, "is no token"),
        (
            {CONFIG: LLAMA | {"bos_token": None}},
            FOUR,
            "is set to add a bos_token, but there is none",
        ),
        ({CONFIG: GENERIC | {"chat_template": 3}}, FIVE, "chat_template"),
        ({CONFIG: GENERIC | {"chat_template": [{"name": "a"}]}}, FIVE, "chat_template"),
    ],
)
def test_what_transformers_refuses(tmp_path: Path, files: Any, release: str, says: str) -> None:
    files = {"tokenizer.json": tokenizer_json("</s>", "<s>", "<unk>")} | files
    with pytest.raises(Unloadable) as refused:
        made(tmp_path, files, release)
    assert says in str(refused.value)


def test_own_code_that_is_trusted_decides(tmp_path: Path) -> None:
    config = LLAMA | {"auto_map": {"AutoTokenizer": ["x.Y", None]}}
    folder = folder_of(tmp_path, {"tokenizer.json": tokenizer_json("</s>"), CONFIG: config})
    assert read_tokenizer(folder, Version(FIVE)).class_name == "LlamaTokenizer"
    with pytest.raises(Unavailable, match="the folder's own code makes the tokenizer"):
        read_tokenizer(folder, Version(FIVE), trusted=True)


# Chat templates

LISTED = [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]


@pytest.mark.parametrize(
    ("files", "release", "expected"),
    [
        ({}, FIVE, {}),
        ({CONFIG: {"chat_template": "c"}}, FIVE, {"default": "c"}),
        ({CONFIG: {"chat_template": None}}, FIVE, {}),
        ({CONFIG: {"chat_template": LISTED}}, FOUR, {"default": "a", "tool_use": "b"}),
        ({CONFIG: {"chat_template": LISTED[1:]}}, FOUR, {"tool_use": "b"}),
        ({CONFIG: {"chat_template": "c"}, "chat_template.jinja": "j"}, FIVE, {"default": "j"}),
        ({CONFIG: {"chat_template": "c"}, "chat_template.jinja": "j"}, "4.47.0", {"default": "j"}),
        ({CONFIG: {"chat_template": "c"}, "chat_template.jinja": "j"}, "4.46.3", {"default": "c"}),
        ({CONFIG: {"chat_template": LISTED}, "chat_template.jinja": "j"}, FIVE, {"default": "j"}),
        ({"chat_template.jinja": "a\r\nb\rc\n"}, FIVE, {"default": "a\nb\nc\n"}),
        ({"chat_template.jinja": ""}, FIVE, {"default": ""}),
        ({"chat_template.json": {"chat_template": "p"}}, FIVE, {}),
        (
            {"chat_template.jinja": "j", "additional_chat_templates/rag.jinja": "r"},
            FIVE,
            {"default": "j", "rag": "r"},
        ),
        ({"additional_chat_templates/rag.jinja": "r"}, "4.51.3", {}),
        ({CONFIG: {"chat_template": "c"}, "additional_chat_templates/x.txt": "r"}, FIVE,
         {"default": "c"}),
    ],
)  # fmt: skip
def test_chat_templates(tmp_path: Path, files: Any, release: str, expected: Any) -> None:
    files = {name: content for name, content in files.items() if name != CONFIG} | {
        "tokenizer.json": tokenizer_json(),
        CONFIG: GENERIC | files.get(CONFIG, {}),
    }
    result = made(tmp_path, files, release)
    assert {name: template.text for name, template in result.chat_templates.items()} == expected
    assert (result.chat_template and result.chat_template.text) == expected.get("default")


def test_the_place_of_a_listed_template(tmp_path: Path) -> None:
    files = {"tokenizer.json": tokenizer_json(), CONFIG: GENERIC | {"chat_template": LISTED}}
    place = made(tmp_path, files).chat_templates["tool_use"].place
    assert place == Place(tmp_path / CONFIG, "/chat_template/1/template")
