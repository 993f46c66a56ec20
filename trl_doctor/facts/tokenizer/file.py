"""The parts of tokenizer.json that define the tokens, and those around the model."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from trl_doctor.facts.tokenizer.vocabulary import AddedToken, Base, Encoded, listed
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder


class _Model(msgspec.Struct):
    vocab: msgspec.Raw = msgspec.Raw(b"{}")
    type: str | None = None
    merges: msgspec.Raw = msgspec.Raw(b"")


class _Padding(msgspec.Struct):
    pad_token: str


class _Added(msgspec.Struct):
    id: int
    content: str
    special: bool = False
    normalized: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False

    @property
    def token(self) -> AddedToken:
        flags = (self.special, self.normalized, self.lstrip, self.rstrip, self.single_word)
        return AddedToken(self.content, *flags)


class TokenizerJson(msgspec.Struct, dict=True):
    """A tokenizer.json."""

    model: _Model
    added_tokens: list[_Added] = []
    padding: _Padding | None = None
    truncation: Any = None
    normalizer: Any = None
    pre_tokenizer: Any = None
    post_processor: Any = None
    decoder: Any = None
    file: Path = Path()
    data: bytes = b""

    @property
    def pad_token(self) -> str | None:
        """The token that tokenizer.json itself names for padding, None if it names none."""
        return self.padding.pad_token if self.padding else None

    @property
    def parts(self) -> dict[str, Any]:
        """The text before and after the model."""
        names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        return {name: getattr(self, name) for name in names}

    @property
    def byte_level(self) -> bool:
        """Whether transformers treats its text as byte-level."""
        return b'"ByteLevel"' in self.data

    @property
    def added(self) -> list[AddedToken]:
        """The added tokens in the order of the file. This order decides their ids."""
        return [entry.token for entry in self.added_tokens]

    @property
    def claimed(self) -> dict[int, AddedToken]:
        """The added tokens by the ids that the file states for them."""
        return {entry.id: entry.token for entry in self.added_tokens}

    @cached_property
    def base(self) -> Base:
        """The vocabulary of its model; raises `Unreadable` if its form is not known."""
        if not self.weighed:
            return self._encoded(memoryview(self.model.vocab))
        pairs = _decoded(self.file, self.model.vocab, list[tuple[str, float]])
        return listed([token for token, _ in pairs])

    def _encoded(self, part: memoryview) -> Encoded:
        """A vocabulary that is a part of the data; a file without one has an empty one."""
        at = self.data.find(part[:64])
        while at >= 0 and not self.data.startswith(part, at):
            at = self.data.find(part[:64], at + 1)
        if at < 0:
            return Encoded(self.file, bytes(part))
        return Encoded(self.file, self.data, at, at + len(part))

    @property
    def weighed(self) -> bool:
        """Whether the vocabulary is a list of tokens with weights (a unigram model)."""
        return bytes(memoryview(self.model.vocab)[:1]) == b"["


_decoder = msgspec.json.Decoder(TokenizerJson)


def tokenizer_json(folder: Folder) -> TokenizerJson:
    """The tokenizer.json of a folder, read once.

    Raises `Unreadable`, with the place of the error if it is no JSON.
    """
    return folder.once("tokenizer.json", _read)


def _read(folder: Folder, name: str) -> TokenizerJson:
    file = folder.file(name)
    data = document.read_bytes(file)
    try:
        parsed = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        document.parse(file, data)
        raise Unreadable(file, "invalid", f"is no tokenizer: {error}") from None
    parsed.file, parsed.data = file, data
    return parsed


def read_vocabulary(file: Path) -> Base:
    """Read a vocab.json (token to id); raises `Unreadable`."""
    data = document.read_bytes(file).strip()
    if not data.startswith(b"{"):
        document.parse(file, data).mapping()
    return Encoded(file, data)


def _decoded(
    file: Path, text: msgspec.Raw, form: type[list[tuple[str, float]]]
) -> list[tuple[str, float]]:
    try:
        return msgspec.json.decode(text, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(file, "invalid", f"has an unusable vocabulary: {error}") from None
