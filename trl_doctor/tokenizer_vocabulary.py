"""The vocabulary that a tokenizer class builds from the files of a folder."""

from __future__ import annotations

from collections.abc import Mapping

from trl_doctor import document, sentencepiece, tokenizer_json
from trl_doctor.document import Unreadable
from trl_doctor.facts import Unavailable
from trl_doctor.folder import Folder
from trl_doctor.tokenizer_class import GENERIC, Refused, TokenizerClass
from trl_doctor.tokenizer_files import Said
from trl_doctor.tokenizer_json import TokenizerJson
from trl_doctor.vocabulary import Base, Table, Vocabulary, lines, listed


class MadeUp(Refused):
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
    folder: Folder, made: TokenizerClass, said: Said, file: TokenizerJson | None, five: bool
) -> Vocabulary:
    """The vocabulary with all that is added to it.

    Raises `Refused` where transformers cannot build one, `Unavailable` where only it knows.
    """
    if not made.fast:
        raise Unavailable(f"{made.name} makes its vocabulary in code")
    if file is not None and made.rebuilds:
        return _with_all(Vocabulary(_rebuilt(made, file)), said)
    if file is not None:
        return _with_all(Vocabulary(file.base).with_added(file.added), said)
    base = _from_other_files(folder, made, five)
    if base is None:
        raise MadeUp(made.name, _with_all(Vocabulary(_made_up(made, said.named)), said))
    return _with_all(Vocabulary(base), said)


def _with_all(found: Vocabulary, said: Said) -> Vocabulary:
    """With the tokens that the files add and name, in the order of transformers."""
    found = found.with_added([token for _, token in sorted(said.claimed.items())])
    named = [*(one.token for one in said.named.values()), *said.extra]
    return found.with_added([token for token in named if token.content not in found.added_ids])


def _rebuilt(made: TokenizerClass, file: TokenizerJson) -> Base:
    base = file.base
    if made.model == "Unigram" and not file.weighed:
        raise Refused(f"{made.name} needs tokens with weights, {file.file.name} has none")
    if file.weighed and made.model != "Unigram":
        return Table(base.tokens, len(base.tokens))
    return base


def _from_other_files(folder: Folder, made: TokenizerClass, five: bool) -> Base | None:
    """The vocabulary without tokenizer.json; None where transformers 5 needs no file at all."""
    name = _present(folder, made.files.get("vocab_file", ""), five)
    merges = made.files.get("merges_file", "")
    there = folder.has(name) if name else False
    if name.endswith(".model") and there:
        return _sentencepiece(folder, made, name)
    if five and not there and not (merges and folder.has(merges)):
        if made.empty is None:
            raise Refused(f"there is no vocabulary file for {made.name}")
        return None
    for needed in filter(None, (name, merges)):
        if not folder.has(needed):
            raise Refused(f"there is neither tokenizer.json nor {needed}, which {made.name} needs")
    if name.endswith(".json"):
        return tokenizer_json.read_vocabulary(folder.file(name))
    if name.endswith(".txt"):
        return _lines(folder, name)
    raise Refused(f"there is no tokenizer.json, which {made.name} needs")


def _present(folder: Folder, name: str, five: bool) -> str:
    """The vocabulary file that transformers takes where there is no tokenizer.json."""
    if five:
        for other in ("tekken.json", "tiktoken.model"):
            if folder.has(other):
                raise Unavailable(f"transformers makes the vocabulary from {other}")
        if folder.has("tokenizer.model"):
            return "tokenizer.model"
    return name


def _made_up(made: TokenizerClass, named: Mapping[str, object]) -> Base:
    """The few tokens that the class of transformers 5 makes up without any file."""
    tokens = []
    for token in made.empty or ():
        role = named.get(token[1:]) if token.startswith("@") else None
        content = getattr(getattr(role, "token", None), "content", "None")
        tokens.append(content if token.startswith("@") else token)
    base = listed(tokens)
    return base if made.model == "Unigram" else Table(base.tokens, len(base.tokens))


def _sentencepiece(folder: Folder, made: TokenizerClass, name: str) -> Base:
    if made.name.removesuffix("Fast") not in IN_ORDER:
        raise Unavailable(f"{made.name} rearranges {name}, and there is no tokenizer.json")
    file = folder.file(name)
    try:
        return listed(sentencepiece.pieces(document.read_bytes(file)))
    except (ValueError, UnicodeDecodeError) as error:
        raise Unreadable(file, "invalid", f"is no sentencepiece model: {error}") from None


def _lines(folder: Folder, name: str) -> Base:
    file = folder.file(name)
    try:
        return lines(document.read_bytes(file).decode())
    except UnicodeDecodeError:
        raise Unreadable(file, "not-text", "is not UTF-8 text") from None
