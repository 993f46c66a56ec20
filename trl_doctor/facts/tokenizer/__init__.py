"""The tokenizer of a folder as `AutoTokenizer.from_pretrained` will see it, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from packaging.version import Version

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.tokenizer import file as tokenizer_json
from trl_doctor.facts.tokenizer.changed import changed
from trl_doctor.facts.tokenizer.chat_templates import ChatTemplate, chat_templates
from trl_doctor.facts.tokenizer.chosen import ClassRequest, Unloadable, choose, release
from trl_doctor.facts.tokenizer.file import TokenizerJson
from trl_doctor.facts.tokenizer.files import ROLES, Said, said
from trl_doctor.facts.tokenizer.known import MadeUp, model_pieces, vocabulary
from trl_doctor.facts.tokenizer.vocabulary import AddedToken, Vocabulary
from trl_doctor.files.folder import Folder

__all__ = [
    "ROLES",
    "AddedToken",
    "ChatTemplate",
    "MadeUp",
    "SpecialToken",
    "Tokenizer",
    "Unloadable",
    "Vocabulary",
    "read",
    "tokenizer",
]

FILES = (
    "tokenizer_config.json",
    "tokenizer.json",
    "special_tokens_map.json",
    "tokenizer.model",
    "vocab.json",
    "vocab.txt",
)
"""A folder with none of these has no tokenizer, whatever transformers makes of that."""


@dataclass(frozen=True)
class SpecialToken:
    """A special token, its id, and where it is named.

    Where the vocabulary is not known, `id` is the one that the files claim, or None. `by` is
    the class that puts the token where no file names one; `place` is then where the class is
    named.
    """

    content: str
    id: int | None
    place: Place
    by: str = ""


@dataclass(frozen=True)
class Tokenizer:
    """What the files make of a tokenizer under one release of transformers.

    `made` is the class. `rebuilt` says that this class takes only the vocabulary from
    tokenizer.json and has its own rules for cutting text. `claimed` are the added tokens by
    the ids that the files claim for them, which need not be the ids that they get. `legacy`
    says that special_tokens_map.json and added_tokens.json count. `known` is the vocabulary,
    or why there is none: `Unloadable` where transformers would not load the tokenizer, `MadeUp`
    where it would go on without a vocabulary file.
    """

    made: str
    rebuilt: bool
    roles: Mapping[str, SpecialToken]
    extra: tuple[str, ...]
    claimed: Mapping[int, AddedToken]
    legacy: bool
    chat_templates: Mapping[str, ChatTemplate]
    known: Vocabulary | Unavailable = field(repr=False)

    @property
    def pad(self) -> SpecialToken | None:
        return self.roles.get("pad_token")

    @property
    def eos(self) -> SpecialToken | None:
        return self.roles.get("eos_token")

    @property
    def bos(self) -> SpecialToken | None:
        return self.roles.get("bos_token")

    @property
    def unk(self) -> SpecialToken | None:
        return self.roles.get("unk_token")

    @property
    def chat_template(self) -> ChatTemplate | None:
        """The template that is used where none is asked for by name."""
        return self.chat_templates.get("default")

    @property
    def vocabulary(self) -> Vocabulary:
        """All tokens and ids; raises `Unavailable` where the files do not tell."""
        if isinstance(self.known, Unavailable):
            raise self.known
        return self.known

    @property
    def length(self) -> int:
        """`len(tokenizer)`; raises `Unavailable`."""
        return self.vocabulary.length

    @property
    def added(self) -> Mapping[int, AddedToken]:
        """The added tokens by the ids that they get; raises `Unavailable`."""
        return self.vocabulary.added

    @property
    def special(self) -> frozenset[str]:
        """All special tokens, with a role and without, and the added ones marked as special."""
        added = self.claimed if isinstance(self.known, Unavailable) else self.known.added
        marked = (token.content for token in added.values() if token.special)
        return frozenset([*(one.content for one in self.roles.values()), *self.extra, *marked])

    def id(self, token: str) -> int | None:
        """The id of a token, None where there is no such token; raises `Unavailable`."""
        return self.vocabulary.id(token)

    def token(self, id: int) -> str | None:
        """The token of an id, None where there is no such id; raises `Unavailable`."""
        return self.vocabulary.token(id)


def tokenizer(facts: Facts) -> Tokenizer:
    """The tokenizer of the facts' folder under the run's transformers, as it is trained with."""
    if not any(facts.folder.has(name) for name in FILES):
        raise Unavailable("there are no tokenizer files")
    trusted = facts.run.flag("trust_remote_code")
    found = read(facts.folder, facts.environment.version("transformers"), trusted=trusted)
    return changed(found, facts.folder.changes)


def read(folder: Folder, version: Version | None, *, trusted: bool = False) -> Tokenizer:
    """The tokenizer of a folder; where `version` is None, under the newest transformers known.

    Raises `Unloadable` where transformers does not load it, `Unavailable` where only code tells.
    """
    version = version or Version(release(None).release)
    file = None
    if folder.has("tokenizer.json"):
        file = tokenizer_json.read(folder.file("tokenizer.json"))
    made = choose(_asked(folder, version, file, trusted), version)
    pieces = [] if file else model_pieces(folder, made)
    files = said(folder, made, version, file, pieces)
    known: Vocabulary | Unavailable
    try:
        known = vocabulary(folder, made, files, file, pieces)
    except Unavailable as reason:
        known = reason
    return Tokenizer(
        made.name,
        file is not None and made.rebuilds,
        _roles(files, known),
        tuple(token.content for token in files.extra),
        files.claimed,
        files.legacy,
        chat_templates(folder, version),
        known,
    )


def _asked(
    folder: Folder, version: Version, file: TokenizerJson | None, trusted: bool
) -> ClassRequest:
    config = folder.get("tokenizer_config.json")
    options = config.mapping() if config else {}
    named, own_code = options.get("tokenizer_class"), options.get("auto_map")
    in_model = named is None
    document = folder.get("config.json") if version.major >= 5 or in_model else None
    model = document.mapping() if document else {}
    if named is None:
        named = model.get("tokenizer_class")
        own_code = own_code or (model.get("auto_map") if version.major < 5 else None)
    model_type = model.get("model_type")
    return ClassRequest(
        str(named) if named else None,
        model_type if isinstance(model_type, str) else None,
        in_model,
        isinstance(own_code, list) or (isinstance(own_code, dict) and "AutoTokenizer" in own_code),
        file is not None,
        file is not None and str(named).startswith("LlamaTokenizer") and file.byte_level,
        trusted,
    )


def _roles(files: Said, known: Vocabulary | Unavailable) -> dict[str, SpecialToken]:
    claimed = {token.content: id for id, token in files.claimed.items()}
    roles = {}
    for role, one in files.named.items():
        content = one.token.content
        id = claimed.get(content) if isinstance(known, Unavailable) else known.id(content)
        roles[role] = SpecialToken(content, id, one.place, one.by)
    unknown = roles.get("unk_token")
    if unknown is not None and not isinstance(known, Unavailable):
        for role, special in roles.items():
            if special.id is None:
                roles[role] = replace(special, id=unknown.id)
    return roles
