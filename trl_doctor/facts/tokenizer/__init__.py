"""The tokenizer of a folder as `AutoTokenizer.from_pretrained` loads it, without running it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.tokenizer.building import MadeUp, build_vocabulary, model_pieces
from trl_doctor.facts.tokenizer.changed import changed
from trl_doctor.facts.tokenizer.chat_templates import ChatTemplate, chat_templates
from trl_doctor.facts.tokenizer.chosen import ClassRequest, Unloadable, choose, release
from trl_doctor.facts.tokenizer.file import TokenizerJson, tokenizer_json
from trl_doctor.facts.tokenizer.files import ROLES, StatedTokens, stated_tokens
from trl_doctor.facts.tokenizer.refused import refused
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
    "read_tokenizer",
    "tokenizer",
    "tokenizer_json",
]

FILES = (
    "tokenizer_config.json",
    "tokenizer.json",
    "special_tokens_map.json",
    "tokenizer.model",
    "vocab.json",
    "vocab.txt",
)
"""A folder with none of these files has no tokenizer, even where transformers loads something."""


class SpecialToken(Struct, frozen=True):
    """A special token, its id, and the place where a file names it.

    `id` comes from the vocabulary. Where the vocabulary is not known, it is the id that the files
    claim, or None. `by` is the class that sets the token where no file names one; `place` is then
    the place where the class is named.
    """

    content: str
    id: int | None
    place: Place
    by: str = ""


class Tokenizer(Struct, frozen=True):
    """What a tokenizer is under one release of transformers, as far as the files decide it.

    `class_name` is the tokenizer's class. `rebuilt` says that this class takes only the vocabulary
    from tokenizer.json and has its own rules for splitting text. `claimed` are the added tokens by
    the ids that the files claim; the tokenizer may assign other ids. `legacy` says that
    special_tokens_map.json and added_tokens.json are read. `vocabulary_or_reason` is the
    vocabulary, or the reason why there is none: `Unloadable` where transformers does not load the
    tokenizer, `MadeUp` where it continues without a vocabulary file.
    """

    class_name: str
    rebuilt: bool
    roles: Mapping[str, SpecialToken]
    extra: tuple[str, ...]
    claimed: Mapping[int, AddedToken]
    legacy: bool
    chat_templates: Mapping[str, ChatTemplate]
    vocabulary_or_reason: Vocabulary | Unavailable

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
        """The template that is used where no other template is requested by name."""
        return self.chat_templates.get("default")

    @property
    def vocabulary(self) -> Vocabulary:
        """All tokens and ids; raises `Unavailable` if the files do not contain them."""
        if isinstance(self.vocabulary_or_reason, Unavailable):
            raise self.vocabulary_or_reason
        return self.vocabulary_or_reason

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
        """All special tokens: those with a role, those without, and added tokens marked special."""
        added = self.claimed
        if not isinstance(self.vocabulary_or_reason, Unavailable):
            added = self.vocabulary_or_reason.added
        marked = (token.content for token in added.values() if token.special)
        return frozenset(
            [*(special.content for special in self.roles.values()), *self.extra, *marked]
        )

    def id(self, token: str) -> int | None:
        """The id of a token, None if the vocabulary has no such token; raises `Unavailable`."""
        return self.vocabulary.id(token)

    def token(self, id: int) -> str | None:
        """The token of an id, None if the vocabulary has no such id; raises `Unavailable`."""
        return self.vocabulary.token(id)


def tokenizer(facts: Facts) -> Tokenizer:
    """The tokenizer of the run's folder under the run's transformers, with the script's changes."""
    if not any(facts.folder.has(name) for name in FILES):
        raise Unavailable("there are no tokenizer files")
    trusted = facts.run.flag("trust_remote_code")
    loaded = read_tokenizer(
        facts.folder, facts.environment.version("transformers"), trusted=trusted
    )
    return changed(loaded, facts.folder.changes)


def read_tokenizer(folder: Folder, version: Version | None, *, trusted: bool = False) -> Tokenizer:
    """The tokenizer of a folder; if `version` is None, under the newest transformers in our data.

    Raises `Unloadable` if transformers does not load it, `Unavailable` if only code decides.
    """
    version = version or Version(release(None).release)
    file = tokenizer_json(folder) if folder.has("tokenizer.json") else None
    tokenizer_class = choose(_class_request(folder, version, file, trusted), version)
    whole = (tokenizer_class.fast or tokenizer_class.of_five) and not tokenizer_class.rebuilds
    if file and whole and (why := refused(file, version)):
        raise Unloadable(f"tokenizer.json: {why}")
    pieces = [] if file else model_pieces(folder, tokenizer_class)
    stated = stated_tokens(folder, tokenizer_class, version, file, pieces)
    vocabulary_or_reason: Vocabulary | Unavailable
    try:
        vocabulary_or_reason = build_vocabulary(folder, tokenizer_class, stated, file, pieces)
    except Unavailable as reason:
        vocabulary_or_reason = reason
    return Tokenizer(
        tokenizer_class.name,
        file is not None and tokenizer_class.rebuilds,
        _special_tokens(stated, vocabulary_or_reason),
        tuple(token.content for token in stated.extra),
        stated.claimed,
        stated.legacy,
        chat_templates(folder, version),
        vocabulary_or_reason,
    )


def _class_request(
    folder: Folder, version: Version, file: TokenizerJson | None, trusted: bool
) -> ClassRequest:
    config = folder.get("tokenizer_config.json")
    options = config.mapping() if config else {}
    class_name, own_code = options.get("tokenizer_class"), options.get("auto_map")
    in_model = class_name is None
    document = folder.get("config.json") if version.major >= 5 or in_model else None
    model = document.mapping() if document else {}
    if class_name is None:
        class_name = model.get("tokenizer_class")
        own_code = own_code or (model.get("auto_map") if version.major < 5 else None)
    model_type = model.get("model_type")
    return ClassRequest(
        str(class_name) if class_name else None,
        model_type if isinstance(model_type, str) else None,
        in_model,
        isinstance(own_code, list) or (isinstance(own_code, dict) and "AutoTokenizer" in own_code),
        file is not None,
        file is not None and str(class_name).startswith("LlamaTokenizer") and file.byte_level,
        trusted,
    )


def _special_tokens(
    stated: StatedTokens, vocabulary: Vocabulary | Unavailable
) -> dict[str, SpecialToken]:
    claimed = {token.content: id for id, token in stated.claimed.items()}
    roles = {}
    for role, stated_token in stated.named.items():
        content = stated_token.token.content
        id = claimed.get(content) if isinstance(vocabulary, Unavailable) else vocabulary.id(content)
        roles[role] = SpecialToken(content, id, stated_token.place, stated_token.by)
    unknown = roles.get("unk_token")
    if unknown is not None and not isinstance(vocabulary, Unavailable):
        for role, token in roles.items():
            if token.id is None:
                roles[role] = replace(token, id=unknown.id)
    return roles
