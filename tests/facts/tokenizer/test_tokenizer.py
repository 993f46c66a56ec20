"""Which tokens and which class a tokenizer has, by the release that loads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tokenizer_ground import (
    BOTH,
    CONFIG,
    FIVE,
    FOUR,
    GENERIC,
    LETTERS,
    LLAMA,
    MAP,
    QWEN,
    decoder,
    made,
    roles,
    tokenizer_json,
)

from trl_doctor.core.finding import Place

# Who wins


@pytest.mark.parametrize("release", BOTH)
@pytest.mark.parametrize(
    ("config", "map", "expected"),
    [
        ({}, {}, {}),
        ({"eos_token": "</s>"}, {}, {"eos": ("</s>", 20)}),
        ({"eos_token": {"__type": "AddedToken", "content": "</s>"}}, {}, {"eos": ("</s>", 20)}),
        ({"eos_token": None}, {"eos_token": "</s>"}, {"eos": ("</s>", 20)}),
        ({"eos_token": "<pad>"}, {"eos_token": {"content": "</s>"}}, {"eos": ("</s>", 20)}),
        ({"added_tokens_decoder": {}}, {"pad_token": "<pad>"}, {}),
        (
            {"added_tokens_decoder": {}, "eos_token": "</s>"},
            {"eos_token": "<pad>"},
            {"eos": ("</s>", 20)},
        ),
        ({"pad_token": "<new>"}, {}, {"pad": ("<new>", 22)}),
        (
            {"pad_token": "<new>", "unk_token": "<un>"},
            {"bos_token": "<b>"},
            {"bos": ("<b>", 22), "unk": ("<un>", 23), "pad": ("<new>", 24)},
        ),
        ({"pad_token": "a", "eos_token": "a"}, {}, {"pad": ("a", 0), "eos": ("a", 0)}),
        (
            {"pad_token": "", "unk_token": "</s>"},
            {},
            {"pad": ("", 20), "unk": ("</s>", 20)},
        ),
    ],
)
def test_named_tokens(tmp_path: Path, release: str, config: Any, map: Any, expected: Any) -> None:
    files = {"tokenizer.json": tokenizer_json("</s>", "<pad>"), CONFIG: GENERIC | config, MAP: map}
    result = made(tmp_path, files, release)
    assert roles(result) == expected
    new = {content for content, id in expected.values() if id > 21}
    assert result.length == 22 + len(new)


@pytest.mark.parametrize(
    ("config", "map", "name", "pointer"),
    [
        ({"eos_token": "</s>"}, {}, CONFIG, "/eos_token"),
        ({}, {"eos_token": "</s>"}, MAP, "/eos_token"),
        ({"tokenizer_class": "LlamaTokenizer"}, {}, CONFIG, "/tokenizer_class"),
    ],
)
def test_the_place_of_a_token(
    tmp_path: Path, config: Any, map: Any, name: str, pointer: str
) -> None:
    files = {"tokenizer.json": tokenizer_json("</s>"), CONFIG: GENERIC | config, MAP: map}
    result = made(tmp_path, files)
    assert result.eos is not None
    assert result.eos.place == Place(tmp_path / name, pointer)
    assert result.eos.by == ("LlamaTokenizer" if "class" in pointer else "")


@pytest.mark.parametrize("release", BOTH)
def test_the_padding_of_tokenizer_json_names_the_last_resort(tmp_path: Path, release: str) -> None:
    padding = {"pad_token": "<pad>", "pad_id": 20, "strategy": "BatchLongest"}
    files = {"tokenizer.json": tokenizer_json("<pad>", padding=padding), CONFIG: GENERIC}
    result = made(tmp_path, files, release)
    assert result.pad is not None
    assert (result.pad.content, result.pad.id) == ("<pad>", 20)
    assert result.pad.place == Place(tmp_path / "tokenizer.json", "/padding/pad_token")
    assert made(tmp_path, {CONFIG: GENERIC | {"pad_token": None}}, release).pad is None


@pytest.mark.parametrize("release", BOTH)
def test_an_id_that_a_file_claims_is_not_always_given(tmp_path: Path, release: str) -> None:
    claims = decoder(_25="<late>", _20="</s>", _3="<early>")
    files = {"tokenizer.json": tokenizer_json(), CONFIG: GENERIC | {"added_tokens_decoder": claims}}
    result = made(tmp_path, files, release)
    assert {id: t.content for id, t in result.added.items()} == {
        20: "<early>",
        21: "</s>",
        22: "<late>",
    }
    assert {id: t.content for id, t in result.claimed.items()} == {
        25: "<late>",
        20: "</s>",
        3: "<early>",
    }
    assert (result.id("<late>"), result.token(22), result.token(0)) == (22, "<late>", "a")
    assert (result.id("<none>"), result.token(99)) == (None, None)


@pytest.mark.parametrize(
    ("release", "files", "expected"),
    [
        (FOUR, {"added_tokens.json": {"<x>": 20, "<y>": 21}}, {"<x>": 20, "<y>": 21}),
        (FIVE, {"added_tokens.json": {"<y>": 21, "<x>": 20}}, {"<x>": 20, "<y>": 21}),
        (FIVE, {CONFIG: GENERIC | {"image_token": "<i>"}}, {"<i>": 20}),
        (FOUR, {CONFIG: GENERIC | {"image_token": "<i>"}}, {}),
        (FIVE, {CONFIG: GENERIC | {"extra_special_tokens": {"image_token": "<i>"}}}, {"<i>": 20}),
        (FOUR, {CONFIG: GENERIC | {"extra_special_tokens": {"image_token": "<i>"}}}, {"<i>": 20}),
        ("4.46.3", {CONFIG: GENERIC | {"extra_special_tokens": {"image_token": "<i>"}}}, {}),
        (
            FIVE,
            {CONFIG: GENERIC | {"extra_special_tokens": ["<i>", "<j>"]}},
            {"<i>": 20, "<j>": 21},
        ),
        (FIVE, {CONFIG: GENERIC | {"additional_special_tokens": ["<i>"]}}, {"<i>": 20}),
        (FOUR, {CONFIG: GENERIC | {"additional_special_tokens": ["<i>"]}}, {"<i>": 20}),
        (FOUR, {MAP: {"additional_special_tokens": [{"content": "<i>"}]}}, {"<i>": 20}),
    ],
)
def test_further_tokens(tmp_path: Path, release: str, files: Any, expected: Any) -> None:
    files = {"tokenizer.json": tokenizer_json(), CONFIG: GENERIC} | files
    result = made(tmp_path, files, release)
    assert {token.content: id for id, token in result.added.items()} == expected
    assert result.special >= {token for token in expected if token in "<i><j>"}


def test_transformers_4_mistakes_the_last_listed_token(tmp_path: Path) -> None:
    """Of the legacy layout: the last special token listed becomes the last one added."""
    files = {
        "vocab.json": {letter: id for id, letter in enumerate(LETTERS)},
        "merges.txt": "",
        CONFIG: {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>"},
        MAP: {"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]},
        "added_tokens.json": {"<|im_start|>": 20, "<|im_end|>": 21, "<|last|>": 22},
        "config.json": {"model_type": "qwen2"},
    }
    assert roles(made(tmp_path, files, FOUR))["eos"] == ("<|last|>", 22)
    assert roles(made(tmp_path, files, FIVE))["eos"] == ("<|im_end|>", 21)


# Which class


@pytest.mark.parametrize(
    ("named", "model_type", "release", "expected"),
    [
        ("LlamaTokenizer", None, FOUR, "LlamaTokenizerFast"),
        ("LlamaTokenizerFast", "llama", FIVE, "LlamaTokenizer"),
        (None, "llama", FOUR, "LlamaTokenizerFast"),
        (None, "llama", FIVE, "TokenizersBackend"),
        (None, "qwen2", FOUR, "Qwen2TokenizerFast"),
        (None, "qwen2", FIVE, "Qwen2Tokenizer"),
        ("PreTrainedTokenizerFast", "qwen2", FOUR, "PreTrainedTokenizerFast"),
        ("PreTrainedTokenizerFast", "qwen2", "5.5.4", "TokenizersBackend"),
        ("PreTrainedTokenizerFast", "qwen2", "5.12.1", "Qwen2Tokenizer"),
        ("PreTrainedTokenizerFast", "qwen2", FIVE, "Qwen2Tokenizer"),
        ("PreTrainedTokenizerFast", "qwen3", FIVE, "TokenizersBackend"),
        ("LlamaTokenizer", "qwen3", FIVE, "LlamaTokenizer"),
        ("LlamaTokenizer", "phi3", FIVE, "TokenizersBackend"),
        ("LlamaTokenizer", "mistral", FIVE, "TokenizersBackend"),
        ("TokenizersBackend", "llama", FIVE, "TokenizersBackend"),
        ("NoSuchTokenizer", "llama", FIVE, "TokenizersBackend"),
        ("BertTokenizerFast", "bert", FIVE, "BertTokenizer"),
        ("BartTokenizer", None, FIVE, "RobertaTokenizer"),
        ("PreTrainedTokenizer", None, FIVE, "TokenizersBackend"),
    ],
)
def test_the_class(
    tmp_path: Path, named: str | None, model_type: str | None, release: str, expected: str
) -> None:
    files: dict[str, Any] = {"tokenizer.json": tokenizer_json("</s>", "<s>", "<unk>")}
    files[CONFIG] = {"tokenizer_class": named} if named else {}
    if model_type:
        files["config.json"] = {"model_type": model_type}
    assert made(tmp_path, files, release).class_name == expected


def test_a_byte_level_llama_is_taken_as_it_is_from_5_22_on(tmp_path: Path) -> None:
    bytes_ = {"type": "ByteLevel"}
    files = {"tokenizer.json": tokenizer_json(pre_tokenizer=bytes_), CONFIG: LLAMA}
    classes = [made(tmp_path, files, release).class_name for release in ("5.21.1", "5.22.2")]
    assert classes == ["LlamaTokenizer", "TokenizersBackend"]


def test_config_json_may_name_the_class(tmp_path: Path) -> None:
    files = {
        "tokenizer.json": tokenizer_json("<pad>"),
        "config.json": {"model_type": "bert", **QWEN},
    }
    for release in BOTH:
        assert made(tmp_path, files, release).class_name.startswith("Qwen2Tokenizer")


@pytest.mark.parametrize("release", BOTH)
def test_defaults_of_the_class_where_the_files_have_no_value(tmp_path: Path, release: str) -> None:
    tokens = tokenizer_json("<|endoftext|>", "<|im_end|>")
    files = {
        "tokenizer.json": tokens,
        CONFIG: QWEN | {"eos_token": "<|im_end|>", "unk_token": None},
    }
    result = made(tmp_path, files, release)
    assert roles(result) == {"eos": ("<|im_end|>", 21), "pad": ("<|endoftext|>", 20)}
    assert result.pad is not None
    assert result.pad.by.startswith("Qwen2Tokenizer")
    assert result.rebuilt == (release == FIVE)


def test_a_class_that_rebuilds_passes_the_added_tokens_over(tmp_path: Path) -> None:
    tokens = tokenizer_json("<|endoftext|>", "<|im_end|>")
    files = {"tokenizer.json": tokens, CONFIG: QWEN | {"added_tokens_decoder": {}}}
    assert made(tmp_path, files, FIVE).id("<|im_end|>") is None
    assert made(tmp_path, files, FOUR).id("<|im_end|>") == 21


def test_a_class_of_extra_tokens_adds_them(tmp_path: Path) -> None:
    pairs = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]]
    tokens = tokenizer_json(vocab=pairs, model="Unigram")
    files = {"tokenizer.json": tokens, CONFIG: {"tokenizer_class": "T5TokenizerFast"}}
    for release in BOTH:
        result = made(tmp_path, files, release)
        assert result.length == 103
        assert result.id("<extra_id_0>") == 3
        assert len(result.extra) == 100
        for count in (0, 3):
            files[CONFIG]["extra_ids"] = count
            assert made(tmp_path, files, release).length == 3 + count
        del files[CONFIG]["extra_ids"]
