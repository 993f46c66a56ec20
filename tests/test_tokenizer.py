"""Tokenizers as transformers would see them: who wins, which class, which ids, what is refused.

The expected values were seen in the real transformers 4.57.6 and 5.23.0; benchmarks/corpus.py
compares on any folders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.version import Version

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, model_files
from trl_doctor.facts.run import model_run
from trl_doctor.facts.tokenizer import MadeUp, Tokenizer, Unloadable, read_tokenizer, tokenizer
from trl_doctor.facts.tokenizer.vocabulary import AddedToken, Encoded, Table, Vocabulary, lines
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

FOUR, FIVE = "4.57.6", "5.23.0"
BOTH = (FOUR, FIVE)
LETTERS = [chr(code) for code in range(ord("a"), ord("a") + 20)]
CONFIG, MAP = "tokenizer_config.json", "special_tokens_map.json"


def tokenizer_json(*added: str, vocab: Any = None, model: str = "BPE", **more: Any) -> Any:
    """A tokenizer.json of 20 letters, ids 0 to 19, and added tokens from 20 on."""
    tokens = vocab if vocab is not None else {letter: id for id, letter in enumerate(LETTERS)}
    entries = [
        {"id": len(tokens) + number, "content": token, "special": True, "normalized": False}
        for number, token in enumerate(added)
    ]
    return {
        "added_tokens": entries,
        "model": {"type": model, "vocab": tokens, "merges": []},
        **more,
    }


def decoder(**ids: str) -> dict[str, Any]:
    """An `added_tokens_decoder`: `decoder(_20="<eos>")` claims the id 20 for the token."""
    fields = {"lstrip": False, "rstrip": False, "single_word": False}
    return {
        id[1:]: {"content": token, "special": True, "normalized": False, **fields}
        for id, token in ids.items()
    }


def folder_of(path: Path, files: Mapping[str, Any]) -> Folder:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            file.write_text(text, newline="")
    return Folder(path, "model")


def made(path: Path, files: Mapping[str, Any], release: str = FIVE) -> Tokenizer:
    return read_tokenizer(folder_of(path, files), Version(release))


def roles(found: Tokenizer) -> dict[str, tuple[str, int | None]]:
    return {role.removesuffix("_token"): (t.content, t.id) for role, t in found.roles.items()}


GENERIC = {"tokenizer_class": "PreTrainedTokenizerFast"}
LLAMA = {"tokenizer_class": "LlamaTokenizerFast"}
QWEN = {"tokenizer_class": "Qwen2Tokenizer"}


# --- who wins ----------------------------------------------------------------------------------


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
    found = made(tmp_path, files, release)
    assert roles(found) == expected
    new = {content for content, id in expected.values() if id > 21}
    assert found.length == 22 + len(new)


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
    found = made(tmp_path, files)
    assert found.eos is not None
    assert found.eos.place == Place(tmp_path / name, pointer)
    assert found.eos.by == ("LlamaTokenizer" if "class" in pointer else "")


@pytest.mark.parametrize("release", BOTH)
def test_the_padding_of_tokenizer_json_names_the_last_resort(tmp_path: Path, release: str) -> None:
    padding = {"pad_token": "<pad>", "pad_id": 20, "strategy": "BatchLongest"}
    files = {"tokenizer.json": tokenizer_json("<pad>", padding=padding), CONFIG: GENERIC}
    found = made(tmp_path, files, release)
    assert found.pad is not None
    assert (found.pad.content, found.pad.id) == ("<pad>", 20)
    assert found.pad.place == Place(tmp_path / "tokenizer.json", "/padding/pad_token")
    assert made(tmp_path, {CONFIG: GENERIC | {"pad_token": None}}, release).pad is None


@pytest.mark.parametrize("release", BOTH)
def test_an_id_that_a_file_claims_is_not_always_given(tmp_path: Path, release: str) -> None:
    claims = decoder(_25="<late>", _20="</s>", _3="<early>")
    files = {"tokenizer.json": tokenizer_json(), CONFIG: GENERIC | {"added_tokens_decoder": claims}}
    found = made(tmp_path, files, release)
    assert {id: t.content for id, t in found.added.items()} == {
        20: "<early>",
        21: "</s>",
        22: "<late>",
    }
    assert {id: t.content for id, t in found.claimed.items()} == {
        25: "<late>",
        20: "</s>",
        3: "<early>",
    }
    assert (found.id("<late>"), found.token(22), found.token(0)) == (22, "<late>", "a")
    assert (found.id("<none>"), found.token(99)) == (None, None)


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
    found = made(tmp_path, files, release)
    assert {token.content: id for id, token in found.added.items()} == expected
    assert found.special >= {token for token in expected if token in "<i><j>"}


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


# --- which class -------------------------------------------------------------------------------


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
def test_what_the_class_puts_where_the_files_say_nothing(tmp_path: Path, release: str) -> None:
    tokens = tokenizer_json("<|endoftext|>", "<|im_end|>")
    files = {
        "tokenizer.json": tokens,
        CONFIG: QWEN | {"eos_token": "<|im_end|>", "unk_token": None},
    }
    found = made(tmp_path, files, release)
    assert roles(found) == {"eos": ("<|im_end|>", 21), "pad": ("<|endoftext|>", 20)}
    assert found.pad is not None
    assert found.pad.by.startswith("Qwen2Tokenizer")
    assert found.rebuilt == (release == FIVE)


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
        found = made(tmp_path, files, release)
        assert found.length == 103
        assert found.id("<extra_id_0>") == 3
        assert len(found.extra) == 100
        for count in (0, 3):
            files[CONFIG]["extra_ids"] = count
            assert made(tmp_path, files, release).length == 3 + count
        del files[CONFIG]["extra_ids"]


# --- vocabularies in other files ---------------------------------------------------------------


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
    found = made(tmp_path, {CONFIG: config | rest, **files}, release)
    assert roles(found)["eos"] == ("b", 1)
    assert roles(found)["pad"] == ("<p>", 2)
    assert found.length == 3


def test_the_control_tokens_of_a_sentencepiece_model_are_added(tmp_path: Path) -> None:
    model = b"\n\x05\n\x01a\x18\x01\n\x07\n\x03<c>\x18\x03\n\x07\n\x03<u>\x18\x04\n\x03\n\x01b"
    files = {CONFIG: LLAMA | {"eos_token": "b"}, "tokenizer.model": model}
    four, five = made(tmp_path, files, FOUR), made(tmp_path, files, FIVE)
    assert {four.added[1].content, four.added[2].content} == {"<c>", "<u>"}
    assert five.extra == ("<c>", "<u>")
    assert (five.added[1].special, five.added[2].special) == (True, False)


@pytest.mark.parametrize("release", BOTH)
def test_without_any_vocabulary_the_files_still_speak(tmp_path: Path, release: str) -> None:
    claims = {"added_tokens_decoder": decoder(_151645="<|im_end|>", _151643="<|endoftext|>")}
    found = made(tmp_path, {CONFIG: QWEN | claims | {"eos_token": "<|im_end|>"}}, release)
    assert roles(found)["eos"] == ("<|im_end|>", 151645)
    assert roles(found)["pad"] == ("<|endoftext|>", 151643)
    assert "<|im_end|>" in found.special
    with pytest.raises(Unloadable):
        _ = found.length


def test_transformers_5_makes_a_vocabulary_up(tmp_path: Path) -> None:
    found = made(tmp_path, {CONFIG: LLAMA | {"pad_token": "<pad>"}}, FIVE)
    assert isinstance(found.vocabulary_or_reason, MadeUp)
    assert found.vocabulary_or_reason.vocabulary.length == 4
    assert found.vocabulary_or_reason.vocabulary.id("</s>") == 2
    assert "there is no vocabulary file" in str(found.vocabulary_or_reason)


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
        known: object = made(tmp_path, files, release).vocabulary_or_reason
    except Unavailable as reason:
        known = reason
    assert isinstance(known, Unavailable)
    assert says in str(known)


# --- what is refused ---------------------------------------------------------------------------


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
        ({CONFIG: LLAMA | {"bos_token": None}}, FOUR, "shall add a bos_token, and there is none"),
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


# --- chat templates ----------------------------------------------------------------------------

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
    found = made(tmp_path, files, release)
    assert {name: one.text for name, one in found.chat_templates.items()} == expected
    assert (found.chat_template and found.chat_template.text) == expected.get("default")


def test_the_place_of_a_listed_template(tmp_path: Path) -> None:
    files = {"tokenizer.json": tokenizer_json(), CONFIG: GENERIC | {"chat_template": LISTED}}
    place = made(tmp_path, files).chat_templates["tool_use"].place
    assert place == Place(tmp_path / CONFIG, "/chat_template/1/template")


# --- vocabularies and ids ----------------------------------------------------------------------

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
    found = Vocabulary(Encoded(Path("vocab.json"), text))
    real = tokenizers.Tokenizer(tokenizers.models.WordLevel(base, unk_token="<unk>"))
    for batch in batches:
        found = found.with_added(batch)
        real.add_tokens([tokenizers.AddedToken(token.content) for token in batch])
    assert found.base.size == len(base)
    assert found.length == real.get_vocab_size(with_added_tokens=True)
    for token in [*base, *(token.content for batch in batches for token in batch), "zz", ""]:
        assert found.id(token) == real.token_to_id(token)
    for id in range(25):
        assert found.token(id) == real.id_to_token(id)
    assert found.highest == max(real.get_vocab().values(), default=-1)


def test_a_vocabulary_is_searched_and_not_decoded() -> None:
    text = json.dumps({f"token{id}": id for id in range(500)} | {"<|im_end|>": 500}).encode()
    base = Encoded(Path("vocab.json"), text)
    found = Vocabulary(base).with_added([AddedToken("<|im_end|>"), AddedToken("<|new|>")])
    assert (found.length, found.id("<|im_end|>"), found.id("<|new|>")) == (502, 500, 501)
    assert "tokens" not in base.__dict__
    assert found.id("token7") == 7
    assert "tokens" in base.__dict__


def test_lines_of_a_vocab_txt() -> None:
    assert lines("[PAD]\r\nthe \n\nthe\n") == Table({"[PAD]": 0, "the": 3, "": 2}, 3)


# --- hostile files -----------------------------------------------------------------------------

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
        found = facts.get(fact)
        if isinstance(found, Tokenizer) and not isinstance(found.vocabulary_or_reason, Unavailable):
            assert found.length >= len(found.added)


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


# --- facts -------------------------------------------------------------------------------------


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
    found = facts_of(tmp_path)[model_files.eos_ids]
    assert [(source.name, source.ids, source.is_default) for source in found] == expected


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
