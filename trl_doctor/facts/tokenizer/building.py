"""The vocabulary that a tokenizer class builds from the files of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.tokenizer.chosen import GENERIC, TokenizerClass, Unloadable
from trl_doctor.facts.tokenizer.file import TokenizerJson, read_vocabulary
from trl_doctor.facts.tokenizer.files import RoleToken, StatedTokens
from trl_doctor.facts.tokenizer.vocabulary import Base, Table, Vocabulary, lines, listed
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder

if TYPE_CHECKING:
    from trl_doctor.facts.tokenizer.sentencepiece import Piece


class MadeUp(Unloadable):
    """There is no vocabulary file, and the class creates a few tokens instead of raising an error.

    `vocabulary` is the vocabulary that the tokenizer then has.
    """

    def __init__(self, name: str, vocabulary: Vocabulary) -> None:
        size = vocabulary.length
        super().__init__(f"there is no vocabulary file, and {name} makes one up, of size {size}")
        self.vocabulary = vocabulary


IN_ORDER = frozenset({"LlamaTokenizer", "GemmaTokenizer", "CodeLlamaTokenizer", GENERIC[5]})
"""Classes that number the pieces of a sentencepiece model by their position in it."""


def build_vocabulary(
    folder: Folder,
    tokenizer_class: TokenizerClass,
    stated: StatedTokens,
    file: TokenizerJson | None,
    pieces: Sequence[Piece],
) -> Vocabulary:
    """The vocabulary with all added tokens.

    Raises `Unloadable` if transformers cannot build one, `Unavailable` if only code can.
    """
    if not tokenizer_class.fast:
        raise Unavailable(f"{tokenizer_class.name} makes its vocabulary in code")
    if file is not None and tokenizer_class.rebuilds:
        rebuilt = _with_stated_tokens(Vocabulary(_rebuilt(tokenizer_class, file)), stated)
        listed_there = {token.content for token in file.added}
        return replace(rebuilt, only_named=rebuilt.only_named - listed_there)
    if file is not None:
        return _with_stated_tokens(Vocabulary(file.base).with_added(file.added), stated)
    if pieces:
        from trl_doctor.facts.tokenizer.sentencepiece import controls

        base = Vocabulary(listed([piece.text for piece in pieces]))
        return _with_stated_tokens(
            base if tokenizer_class.of_five else base.with_added(controls(pieces)), stated
        )
    if tokenizer_class.empty is not None and not _has_any(folder, tokenizer_class):
        raise MadeUp(
            tokenizer_class.name,
            _with_stated_tokens(Vocabulary(_made_up(tokenizer_class, stated.named)), stated),
        )
    return _with_stated_tokens(Vocabulary(_from_files(folder, tokenizer_class)), stated)


def model_pieces(folder: Folder, tokenizer_class: TokenizerClass) -> list[Piece]:
    """The pieces of the sentencepiece model that is used in place of a missing tokenizer.json."""
    name = tokenizer_class.files.get("vocab_file", "")
    if tokenizer_class.of_five and folder.has("tokenizer.model"):
        name = "tokenizer.model"
    if not name.endswith(".model") or tokenizer_class.name.removesuffix("Fast") not in IN_ORDER:
        return []
    from trl_doctor.facts.tokenizer.sentencepiece import read_pieces

    return read_pieces(folder.file(name)) if folder.has(name) else []


def _with_stated_tokens(vocabulary: Vocabulary, stated: StatedTokens) -> Vocabulary:
    """The vocabulary with the tokens that the files add and name, in the order of transformers."""
    vocabulary = vocabulary.with_added([token for _, token in sorted(stated.claimed.items())])
    new = [token for token in stated.in_order if token.content not in vocabulary.added_ids]
    known = vocabulary.base.ids(token.content for token in new)
    only_named = frozenset(token.content for token in new) - known.keys()
    return replace(vocabulary.with_added(new), only_named=only_named)


def _rebuilt(tokenizer_class: TokenizerClass, file: TokenizerJson) -> Base:
    base = file.base
    if tokenizer_class.model == "Unigram" and not file.weighed:
        raise Unloadable(
            f"{tokenizer_class.name} needs tokens with weights, {file.file.name} has none"
        )
    if file.weighed and tokenizer_class.model != "Unigram":
        return Table(base.tokens, len(base.tokens))
    return base


OTHER = ("tekken.json", "tiktoken.model")
"""Vocabularies that only transformers can convert."""


def _has_any(folder: Folder, tokenizer_class: TokenizerClass) -> bool:
    return any(
        folder.has(name) for name in (*tokenizer_class.files.values(), *OTHER, "tokenizer.model")
    )


def _from_files(folder: Folder, tokenizer_class: TokenizerClass) -> Base:
    """The vocabulary without tokenizer.json and without a sentencepiece model."""
    name, merges = (
        tokenizer_class.files.get("vocab_file", ""),
        tokenizer_class.files.get("merges_file", ""),
    )
    models = [name_ for name_ in (*OTHER, "tokenizer.model") if folder.has(name_)]
    if tokenizer_class.of_five and models:
        raise Unavailable(f"{tokenizer_class.name} makes the vocabulary of {models[0]} in code")
    for required in (name or "tokenizer.json", *([merges] if merges else ())):
        if not folder.has(required):
            raise Unloadable(
                f"there is neither tokenizer.json nor {required}, "
                f"which {tokenizer_class.name} needs"
            )
    file = folder.file(name)
    if name.endswith(".json"):
        return read_vocabulary(file)
    if not name.endswith(".txt"):
        raise Unavailable(
            f"{tokenizer_class.name} rearranges {name}, and there is no tokenizer.json"
        )
    try:
        return lines(document.read_bytes(file).decode())
    except UnicodeDecodeError:
        raise Unreadable(file, "not-text", "is not UTF-8 text") from None


def _made_up(tokenizer_class: TokenizerClass, stated_tokens: Mapping[str, RoleToken]) -> Base:
    """The few tokens that a class of transformers 5 creates without any file."""
    tokens = []
    for token in tokenizer_class.empty or ():
        special = stated_tokens.get(token[1:])
        if token.startswith("@"):
            token = special.token.content if special else "None"
        tokens.append(token)
    base = listed(tokens)
    return base if tokenizer_class.model == "Unigram" else Table(base.tokens, len(base.tokens))
