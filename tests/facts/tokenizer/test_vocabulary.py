"""Ids are those of the library; hostile files; the tokenizer among the facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizer_ground import (
    CONFIG,
    FIVE,
    FOUR,
    GENERIC,
    LLAMA,
    MAP,
    folder_of,
    made,
    tokenizer_json,
)

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model import files as model_files
from trl_doctor.facts.run import model_run
from trl_doctor.facts.tokenizer import Tokenizer, tokenizer
from trl_doctor.facts.tokenizer.vocabulary import AddedToken, Encoded, Table, Vocabulary, lines
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

# Vocabularies and ids

token_texts = st.text(st.sampled_from([*'<a">\\|:,[{ é中/']), max_size=4)
token_lists = st.lists(st.builds(AddedToken, token_texts), max_size=6)


@given(
    st.dictionaries(token_texts, st.integers(0, 12), max_size=8),
    st.lists(token_lists, max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_ids_are_those_of_the_library(
    ids: dict[str, int], batches: list[list[AddedToken]], ascii: bool, dense: bool
) -> None:
    base = ids if len({*ids.values()}) == len(ids) else {t: n for n, t in enumerate(ids)}
    separators = (",", ":") if dense else (" , ", " :\n")
    text = json.dumps(base, ensure_ascii=ascii, separators=separators).encode()
    vocabulary = Vocabulary(Encoded(Path("vocab.json"), text))
    real = tokenizers.Tokenizer(tokenizers.models.WordLevel(base, unk_token="<unk>"))
    for batch in batches:
        vocabulary = vocabulary.with_added(batch)
        real.add_tokens([tokenizers.AddedToken(token.content) for token in batch])
    assert vocabulary.base.size == len(base)
    assert vocabulary.length == real.get_vocab_size(with_added_tokens=True)
    for token in [*base, *(token.content for batch in batches for token in batch), "zz", ""]:
        assert vocabulary.id(token) == real.token_to_id(token)
    for id in range(25):
        assert vocabulary.token(id) == real.id_to_token(id)
    assert vocabulary.highest == max(real.get_vocab().values(), default=-1)


def test_a_vocabulary_is_searched_and_not_decoded() -> None:
    text = json.dumps({f"token{id}": id for id in range(500)} | {"<|im_end|>": 500}).encode()
    base = Encoded(Path("vocab.json"), text)
    vocabulary = Vocabulary(base).with_added([AddedToken("<|im_end|>"), AddedToken("<|new|>")])
    assert (vocabulary.length, vocabulary.id("<|im_end|>"), vocabulary.id("<|new|>")) == (
        502,
        500,
        501,
    )
    assert "tokens" not in base.__dict__
    assert vocabulary.id("token7") == 7
    assert "tokens" in base.__dict__


def test_lines_of_a_vocab_txt() -> None:
    assert lines("[PAD]\r\nthe \n\nthe\n") == Table({"[PAD]": 0, "the": 3, "": 2}, 3)


# Hostile files

junk = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 40) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = [
    *("tokenizer_class", "pad_token", "eos_token", "added_tokens_decoder", "chat_template"),
    *("auto_map", "extra_special_tokens", "additional_special_tokens", "model_type"),
    *("text_config", "eos_token_id", "added_tokens", "model", "vocab", "type", "padding", "id"),
]
objects = st.dictionaries(st.sampled_from(KEYS), junk, max_size=5)
NAMES = [
    *("tokenizer.json", CONFIG, MAP, "added_tokens.json", "config.json", "vocab.json"),
    *("merges.txt", "vocab.txt", "generation_config.json", "tokenizer.model"),
    "chat_template.jinja",
]


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(NAMES), objects | junk | st.binary(max_size=9), max_size=5),
    st.sampled_from(["4.46.3", FOUR, "5.0.0", "5.7.0", FIVE]),
)
def test_no_content_is_a_surprise(tmp_path: Path, files: Any, release: str) -> None:
    for name in NAMES:
        (tmp_path / name).unlink(missing_ok=True)
    folder_of(tmp_path, files)
    facts = facts_of(tmp_path, release)
    for fact in (tokenizer, model_files.eos_ids, model_files.model_config):
        value = facts.get(fact)
        if isinstance(value, Tokenizer) and not isinstance(value.vocabulary_or_reason, Unavailable):
            assert value.length >= len(value.added)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"{", "is not valid JSON"),
        (b"[]", "is no tokenizer"),
        (b"{}", "is no tokenizer"),
        (b'{"model": {"vocab": {}}, "added_tokens": {}}', "is no tokenizer"),
        (b'{"model": {"vocab": {}}, "added_tokens": [{"content": "a"}]}', "is no tokenizer"),
        (b'{"model":' + b"[" * 100_000, "deeper than"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "Git LFS pointer"),
    ],
)
def test_a_tokenizer_json_that_is_none(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(Unavailable, match=says):
        made(tmp_path, {"tokenizer.json": content, CONFIG: GENERIC})


@pytest.mark.parametrize(
    "vocab",
    [
        '{"a": "x"}',
        '{"a": 1e999}',
        '{"<\udcff": 1}',
        '{"a": 1.5}',
        '{"a": null}',
        "3",
        '["a"]',
        '"a"',
    ],
)
def test_a_vocabulary_of_no_known_form(tmp_path: Path, vocab: str) -> None:
    text = '{"model": {"type": "BPE", "vocab": %s}}' % vocab  # noqa: UP031
    files = {"tokenizer.json": text.encode(errors="surrogateescape"), CONFIG: GENERIC}
    with pytest.raises(Unavailable, match=r"tokenizer\.json has an unusable vocabulary"):
        _ = made(tmp_path, files | {MAP: {"eos_token": "<e>"}}).vocabulary.highest


# Facts


def facts_of(path: Path, release: str = FIVE) -> Facts:
    run = model_run(Target(str(path), "model", path, ""), Unavailable("no trainer"), None)
    return Facts(
        run, environment(None, [f"transformers=={release}"], installed=False), NoOracle("not asked")
    )


def test_the_tokenizer_of_the_facts(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, FOUR)
    folder_of(tmp_path, {"tokenizer.json": tokenizer_json("</s>"), CONFIG: LLAMA})
    assert facts[tokenizer].class_name == "LlamaTokenizerFast"
    assert facts[tokenizer] is facts[tokenizer]


def test_a_folder_without_tokenizer_files(tmp_path: Path) -> None:
    folder_of(tmp_path, {"config.json": {"model_type": "gpt2"}})
    with pytest.raises(Unavailable, match="there are no tokenizer files"):
        facts_of(tmp_path)[tokenizer]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, [("tokenizer", (20,), False)]),
        (
            {"config.json": {"model_type": "llama", "eos_token_id": 7}},
            [("config.json", (7,), False), ("tokenizer", (20,), False)],
        ),
        (
            {"config.json": {"model_type": "llama"},
             "generation_config.json": {"eos_token_id": [2, 7]}},
            [
                ("config.json", (2,), True),
                ("generation_config.json", (2, 7), False),
                ("tokenizer", (20,), False),
            ],
        ),
        (
            {"config.json": {"model_type": "llava", "text_config": {"eos_token_id": 9}}},
            [("text_config", (9,), False), ("tokenizer", (20,), False)],
        ),
        (
            {"config.json": {"model_type": "x", "eos_token_id": [True, "2", None, 4]},
             "generation_config.json": {"eos_token_id": "</s>"}},
            [("config.json", (4,), False), ("tokenizer", (20,), False)],
        ),
        ({"config.json": "{", "generation_config.json": []}, []),
    ],
)  # fmt: skip
def test_eos_ids_of_every_source(tmp_path: Path, files: Any, expected: Any) -> None:
    own = {"tokenizer.json": tokenizer_json("</s>"), CONFIG: GENERIC | {"eos_token": "</s>"}}
    folder_of(tmp_path, own | files)
    sources = facts_of(tmp_path)[model_files.eos_ids]
    assert [(source.name, source.ids, source.is_default) for source in sources] == expected


def test_the_places_of_ids(tmp_path: Path) -> None:
    config = {"model_type": "llava", "text_config": {"eos_token_id": 9, "pad_token_id": 1}}
    folder_of(tmp_path, {"config.json": config, "generation_config.json": {"eos_token_id": 5}})
    facts = facts_of(tmp_path)
    places = [source.place for source in facts[model_files.eos_ids]]
    assert places == [
        Place(tmp_path / "config.json", "/text_config/eos_token_id"),
        Place(tmp_path / "generation_config.json", "/eos_token_id"),
    ]
    (pad,) = facts[model_files.pad_ids]
    assert pad.place.pointer == "/text_config/pad_token_id"
