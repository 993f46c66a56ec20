"""Which token of a vocabulary is chosen to pad with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from trl_doctor.facts.special_tokens.pad_choice import (
    ALPHABET,
    BYTES,
    Avoid,
    choose_pad,
    never_unknown,
)
from trl_doctor.facts.tokenizer import Tokenizer, read_tokenizer
from trl_doctor.files.folder import Folder

EOS = "</s>"
MakeTokenizer = Callable[..., Tokenizer]


@pytest.fixture
def tokenizer_with(tmp_path: Path) -> MakeTokenizer:
    def tokenizer(
        *added: str, base: tuple[str, ...] = ("a",), unk: str | None = None, eos: str | None = EOS
    ) -> Tokenizer:
        return _tokenizer(tmp_path, added, base, unk, eos)

    return tokenizer


def _tokenizer(
    path: Path, added: tuple[str, ...], base: tuple[str, ...], unk: str | None, eos: str | None
) -> Tokenizer:
    """A tokenizer of these tokens, the base ones first; `eos` is one of them."""
    names = [*base, *(name for name in dict.fromkeys([eos, unk, *added]) if name)]
    tokens = [{"id": id, "content": name, "special": True} for id, name in enumerate(names)]
    vocabulary = {name: id for id, name in enumerate(base)}
    files: Mapping[str, object] = {
        "tokenizer.json": {
            "added_tokens": tokens[len(base) :],
            "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": eos,
            "unk_token": unk,
        },
    }
    for name, content in files.items():
        (path / name).write_bytes(msgspec.json.encode(content))
    return read_tokenizer(Folder(path, "model"), Version("5.23.0"))


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        (["<|fim_pad|>", "<pad>"], "<pad>"),
        (["<|reserved_special_token_0|>", "<|finetune_pad_id|>"], "<|finetune_pad_id|>"),
        (["<|fim_pad|>", "<|finetune_right_pad_id|>"], "<|finetune_right_pad_id|>"),
        (["<|vision_pad|>", "<|fim_pad|>"], "<|fim_pad|>"),
        (["<|image_pad|>", "<|video_pad|>", "<|vision_pad|>"], "<|vision_pad|>"),
        (["<|im_pad|>", "<unused3>"], "<|im_pad|>"),
        (["<unused3>", "<unused7>"], "<unused3>"),
        (["[control_8]", "<|tool|>"], "[control_8]"),
        (["<|dummy_0|>"], "<|dummy_0|>"),
        (["<|placeholder1|>"], "<|placeholder1|>"),
        ([">>TITLE<<", ">>UNUSED_1<<"], ">>UNUSED_1<<"),
        (["<｜place▁holder▁no▁0｜>", "<｜▁pad▁｜>"], "<｜▁pad▁｜>"),
        (["<|image_pad|>", "<|tool|>", "<extra>"], EOS),
        ([], EOS),
    ],
)
def test_the_best_name_is_chosen(
    tokenizer_with: MakeTokenizer, added: list[str], expected: str
) -> None:
    tokenizer = tokenizer_with(*added)
    assert tokenizer.eos is not None and tokenizer.eos.id is not None
    pad = choose_pad(tokenizer, Avoid(ends=frozenset({tokenizer.eos.id})))
    assert pad is not None
    assert (pad.token, pad.id, pad.ends) == (expected, tokenizer.id(expected), expected == EOS)


def test_a_pad_token_that_is_only_in_the_vocabulary_is_found(
    tokenizer_with: MakeTokenizer,
) -> None:
    pad = choose_pad(tokenizer_with(base=("a", "<unused0>", "b")), Avoid())
    assert pad is not None and (pad.token, pad.id) == ("<unused0>", 1)


def test_what_the_files_already_pad_with_goes_first(tokenizer_with: MakeTokenizer) -> None:
    tokenizer = tokenizer_with("<pad>", "<unused1>")
    named = tokenizer.id("<unused1>")
    assert named is not None
    pad = choose_pad(tokenizer, Avoid(named=(named,)))
    assert pad is not None and pad.token == "<unused1>"


def test_an_ordinary_token_is_never_chosen_to_pad_with(
    tokenizer_with: MakeTokenizer,
) -> None:
    pad = choose_pad(tokenizer_with(base=("!", "a")), Avoid(named=(0,)))
    assert pad is not None and pad.ends


@pytest.mark.parametrize(
    ("base", "never"),
    [(tuple(BYTES), True), (tuple(ALPHABET), True), (("a", "<0x00>"), False), (("Ġ", "a"), False)],
)
def test_unk_pads_only_where_no_text_becomes_it(
    tokenizer_with: MakeTokenizer, base: tuple[str, ...], never: bool
) -> None:
    tokenizer = tokenizer_with(base=base, unk="<unk>")
    pad = choose_pad(tokenizer, Avoid())
    assert never_unknown(tokenizer) is never
    assert pad is not None and pad.token == ("<unk>" if never else EOS)


def test_a_reserved_token_goes_before_unk(tokenizer_with: MakeTokenizer) -> None:
    pad = choose_pad(tokenizer_with("<unused0>", base=tuple(BYTES), unk="<unk>"), Avoid())
    assert pad is not None and pad.token == "<unused0>"


def test_there_may_be_nothing_to_pad_with(tokenizer_with: MakeTokenizer) -> None:
    assert choose_pad(tokenizer_with(eos=None), Avoid()) is None
    assert choose_pad(tokenizer_with("<pad>"), Avoid(rows=1)) is None


POOL = ("<pad>", "[PAD]", "<|fim_pad|>", "<unused0>", "<|reserved_special_token_9|>", "<|tool|>")


@given(
    added=st.lists(st.sampled_from(POOL), unique=True),
    ends=st.frozensets(st.integers(0, 8)),
    printed=st.frozensets(st.sampled_from(POOL)),
    rows=st.none() | st.integers(0, 9),
)
def test_a_choice_keeps_to_what_it_must(
    tmp_path_factory: pytest.TempPathFactory,
    added: list[str],
    ends: frozenset[int],
    printed: frozenset[str],
    rows: int | None,
) -> None:
    tokenizer = _tokenizer(tmp_path_factory.getbasetemp(), tuple(added), ("a", "b"), None, EOS)
    pad = choose_pad(tokenizer, Avoid(ends, printed.__contains__, rows))
    ids = {token: tokenizer.id(token) for token in (*added, EOS)}
    fit = {token for token, id in ids.items() if rows is None or (id is not None and id < rows)}
    free = {token for token in fit - printed if ids[token] not in ends} - {"<|tool|>", EOS}
    if free:
        assert pad is not None and pad.token in free and not pad.ends
    else:
        assert (pad and pad.token) == (EOS if EOS in fit else None)
    assert pad is None or pad.id == ids[pad.token]
