"""The class that `AutoTokenizer.from_pretrained` chooses for a folder, by release."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable

GENERIC = {4: "PreTrainedTokenizerFast", 5: "TokenizersBackend"}
"""The class, by major release, that uses a tokenizer.json without changes."""

OLDEST = Version("4.46")
"""The first release in our data; older releases are treated like it."""

UNSPECIFIC = frozenset({"TokenizersBackend", "PythonBackend"})

History: TypeAlias = Mapping[str, tuple[tuple[str, str | None], ...]]
"""By model type: pairs of a release and the class (or None) registered from that release on."""

Ids: TypeAlias = Mapping[str, Mapping[str, int | tuple[int, ...]]]
"""By model type and key (`eos_token_id`): the defaults of transformers for config.json."""


class Unloadable(Unavailable):
    """The installed transformers does not load this tokenizer; the message says why."""


class TokenizerClass(msgspec.Struct, frozen=True):
    """What a class does by default.

    `tokens` are the special tokens that it sets where the files name none. `rebuilds` says that
    it builds its tokenizer from the vocabulary alone and ignores `added_tokens` and everything else
    in tokenizer.json. `empty` is the vocabulary that it creates if there is no file
    ("@eos_token" means the eos token). `extra` are further tokens that it adds where no file
    lists any; with `extends` it adds them to those that are listed. `adds` are the tokens that
    it can put around a text, and whether it does so by default: a class of transformers 4 that
    should add a token fails if it has none. `of_five` says that it is a class of
    transformers 5.
    """

    name: str = ""
    fast: bool = False
    files: Mapping[str, str] = {}
    tokens: Mapping[str, str | None] = {}
    slow: str = ""
    adds: Mapping[str, bool] = {}
    model: str | msgspec.UnsetType | None = msgspec.UNSET
    empty: tuple[str, ...] | None = None
    extra: tuple[str, ...] = ()
    extends: bool = False
    of_five: bool = False

    @property
    def rebuilds(self) -> bool:
        return self.model is not msgspec.UNSET


class Release(msgspec.Struct, frozen=True):
    """The classes of a major release of transformers.

    `ids` and `text_ids` are the defaults of configurations and of their text models. A model type
    in `hands_down` uses the values at the top of config.json for its text model, where config.json
    has no part for it.
    """

    release: str
    classes: Mapping[str, TokenizerClass]
    aliases: Mapping[str, str]
    model_types: History
    forced: History
    ids: Ids
    text_ids: Ids
    hands_down: frozenset[str]

    def named(self, name: str) -> TokenizerClass | None:
        """The class that transformers finds under a name, None if it finds none."""
        class_name = self.aliases.get(name, name)
        if class_name in self.classes:
            five = self.release.startswith("5")
            return msgspec.structs.replace(self.classes[class_name], name=class_name, of_five=five)
        if self.release.startswith("5") and name.endswith("Fast"):
            return self.named(name.removesuffix("Fast"))
        return None

    @property
    def generic(self) -> TokenizerClass:
        """The class that uses a tokenizer.json without changes."""
        generic = self.named(GENERIC[int(self.release[0])])
        assert generic is not None
        return generic


class ClassRequest(Struct, frozen=True):
    """What a folder's files state about the tokenizer class.

    `in_model` says that config.json names the class and tokenizer_config.json does not.
    """

    named: str | None
    model_type: str | None
    in_model: bool = False
    has_own_code: bool = False
    has_tokenizer_json: bool = False
    byte_level: bool = False
    trusted: bool = False


@cache
def release(version: Version | None) -> Release:
    """The classes of a major release; of the newest one if `version` is None."""
    major = "4" if version is not None and version.major < 5 else "5"
    data = (Path(__file__).parents[2] / "data" / "tokenizers.json").read_bytes()
    by_major = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(by_major[major], type=Release)


def choose(request: ClassRequest, version: Version) -> TokenizerClass:
    """The class that transformers uses.

    Raises `Unloadable` if it finds none, `Unavailable` if the folder's own code decides.
    """
    if request.has_own_code and request.trusted:
        raise Unavailable("the folder's own code makes the tokenizer (auto_map)")
    classes = release(version)
    final = max(Version(version.base_version), OLDEST)
    return (_choose_five if final.major >= 5 else _choose_four)(request, classes, final)


def _choose_four(request: ClassRequest, classes: Release, version: Version) -> TokenizerClass:
    registered = _at(classes.model_types, request.model_type, version)
    if request.named is not None:
        chosen = (
            classes.named(f"{request.named}Fast") if not request.named.endswith("Fast") else None
        )
        chosen = chosen or classes.named(request.named)
        reason = f"its tokenizer_class {request.named} is not in transformers {version}"
    else:
        chosen = classes.named(registered) if registered else None
        reason = f"it has no tokenizer for the model_type {request.model_type!r}"
        if request.model_type is None:
            reason = "no file names a tokenizer_class or a model_type"
    if chosen is None and request.has_own_code:
        raise Unloadable("it needs the folder's own code (auto_map) and trust_remote_code")
    if chosen is None:
        raise Unloadable(reason)
    return chosen


def _choose_five(request: ClassRequest, classes: Release, version: Version) -> TokenizerClass:
    registered = _at(classes.model_types, request.model_type, version)
    forced = _at(classes.forced, request.model_type, version) is not None
    generic = classes.generic
    if forced and registered is None:
        registered = GENERIC[5]
    if not request.has_own_code:
        chosen = _overruled(request, classes, version, registered, forced)
        if chosen is not None:
            return chosen
    elif not forced and registered is None and not (request.named and classes.named(request.named)):
        raise Unloadable("it needs the folder's own code (auto_map) and trust_remote_code")
    name = request.named or registered or GENERIC[5]
    chosen = classes.named(name.removesuffix("Fast")) or classes.named(name)
    return generic if chosen is None or chosen.name in UNSPECIFIC else chosen


def _overruled(
    request: ClassRequest, classes: Release, version: Version, registered: str | None, forced: bool
) -> TokenizerClass | None:
    """The class, where the model type and the named class differ; None where they agree."""
    generic = classes.generic
    class_name = (request.named or "").removesuffix("Fast")
    by_bytes = version >= Version("5.22") and request.byte_level and not forced
    if by_bytes and class_name == "LlamaTokenizer" and request.model_type not in MISTRAL:
        return generic
    ignored = request.in_model and version < Version("5.12")
    if not class_name or not request.model_type or registered == class_name or ignored:
        return None
    if registered is None and version >= Version("5.3"):
        return None
    if registered is None or version < Version("5.6"):
        return generic if request.has_tokenizer_json else classes.named(class_name)
    if registered in UNSPECIFIC and version >= Version("5.7"):
        return generic
    overrules = forced and version >= Version("5.8")
    chosen = classes.named(registered if overrules else request.named or "")
    return generic if chosen is None or chosen.name in UNSPECIFIC else chosen


MISTRAL = frozenset(
    {"ministral", "ministral3", "mistral", "mistral3", "mistral_large4", "mixtral", "pixtral",
     "voxtral", "voxtral_realtime"}
)  # fmt: skip
"""Model types whose class is mistral-common's where that is installed."""


def _at(history: History, model_type: str | None, version: Version) -> str | None:
    """The class that a history has for a model type at a release, None if it has none."""
    class_name = None
    for since, name in history.get(model_type or "", ()):
        if version >= Version(since):
            class_name = name
    return class_name
