"""The vocabulary that a tokenizer class builds from the files of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.tokenizer import file as tokenizer_json
from trl_doctor.facts.tokenizer import sentencepiece
from trl_doctor.facts.tokenizer.chosen import GENERIC, TokenizerClass, Unloadable
from trl_doctor.facts.tokenizer.file import TokenizerJson
from trl_doctor.facts.tokenizer.files import Named, Said
from trl_doctor.facts.tokenizer.sentencepiece import Piece, controls
from trl_doctor.facts.tokenizer.vocabulary import Base, Table, Vocabulary, lines, listed
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder


class MadeUp(Unloadable):
    """There is no vocabulary file, and the class makes a few tokens up instead of saying so.

    `vocabulary` is what the tokenizer then has.
    """

    def __init__(self, name: str, vocabulary: Vocabulary) -> None:
        size = vocabulary.length
        super().__init__(f"there is no vocabulary file, and {name} makes one up, of size {size}")
        self.vocabulary = vocabulary


IN_ORDER = frozenset({"LlamaTokenizer", "GemmaTokenizer", "CodeLlamaTokenizer", GENERIC[5]})
"""Classes that number the pieces of a sentencepiece model as they stand in it."""


def vocabulary(
    folder: Folder,
    made: TokenizerClass,
    said: Said,
    file: TokenizerJson | None,
    pieces: Sequence[Piece],
) -> Vocabulary:
    """The vocabulary with all that is added to it.

    Raises `Unloadable` where transformers cannot build one, `Unavailable` where only it knows.
    """
    if not made.fast:
        raise Unavailable(f"{made.name} makes its vocabulary in code")
    if file is not None and made.rebuilds:
        return _with_all(Vocabulary(_rebuilt(made, file)), said)
    if file is not None:
        return _with_all(Vocabulary(file.base).with_added(file.added), said)
    if pieces:
        base = Vocabulary(listed([piece.text for piece in pieces]))
        return _with_all(base if made.of_five else base.with_added(controls(pieces)), said)
    if made.empty is not None and not _has_any(folder, made):
        raise MadeUp(made.name, _with_all(Vocabulary(_made_up(made, said.named)), said))
    return _with_all(Vocabulary(_from_files(folder, made)), said)


def model_pieces(folder: Folder, made: TokenizerClass) -> list[Piece]:
    """The pieces of the sentencepiece model that stands in for a missing tokenizer.json."""
    name = made.files.get("vocab_file", "")
    if made.of_five and folder.has("tokenizer.model"):
        name = "tokenizer.model"
    if not name.endswith(".model") or made.name.removesuffix("Fast") not in IN_ORDER:
        return []
    return sentencepiece.read(folder.file(name)) if folder.has(name) else []


def _with_all(found: Vocabulary, said: Said) -> Vocabulary:
    """With the tokens that the files add and name, in the order of transformers."""
    found = found.with_added([token for _, token in sorted(said.claimed.items())])
    new = [token for token in said.in_order if token.content not in found.added_ids]
    return found.with_added(new)


def _rebuilt(made: TokenizerClass, file: TokenizerJson) -> Base:
    base = file.base
    if made.model == "Unigram" and not file.weighed:
        raise Unloadable(f"{made.name} needs tokens with weights, {file.file.name} has none")
    if file.weighed and made.model != "Unigram":
        return Table(base.tokens, len(base.tokens))
    return base


OTHER = ("tekken.json", "tiktoken.model")
"""Vocabularies that only transformers can convert."""


def _has_any(folder: Folder, made: TokenizerClass) -> bool:
    return any(folder.has(name) for name in (*made.files.values(), *OTHER, "tokenizer.model"))


def _from_files(folder: Folder, made: TokenizerClass) -> Base:
    """The vocabulary without tokenizer.json and without a sentencepiece model."""
    name, merges = made.files.get("vocab_file", ""), made.files.get("merges_file", "")
    models = [other for other in (*OTHER, "tokenizer.model") if folder.has(other)]
    if made.of_five and models:
        raise Unavailable(f"{made.name} makes the vocabulary of {models[0]} in code")
    for needed in (name or "tokenizer.json", *([merges] if merges else ())):
        if not folder.has(needed):
            raise Unloadable(
                f"there is neither tokenizer.json nor {needed}, which {made.name} needs"
            )
    file = folder.file(name)
    if name.endswith(".json"):
        return tokenizer_json.read_vocabulary(file)
    if not name.endswith(".txt"):
        raise Unavailable(f"{made.name} rearranges {name}, and there is no tokenizer.json")
    try:
        return lines(document.read_bytes(file).decode())
    except UnicodeDecodeError:
        raise Unreadable(file, "not-text", "is not UTF-8 text") from None


def _made_up(made: TokenizerClass, named: Mapping[str, Named]) -> Base:
    """The few tokens that the class of transformers 5 makes up without any file."""
    tokens = []
    for token in made.empty or ():
        known = named.get(token[1:])
        if token.startswith("@"):
            token = known.token.content if known else "None"
        tokens.append(token)
    base = listed(tokens)
    return base if made.model == "Unigram" else Table(base.tokens, len(base.tokens))
