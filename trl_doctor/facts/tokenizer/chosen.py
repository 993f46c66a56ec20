"""Which tokenizer class `AutoTokenizer.from_pretrained` makes of a folder, release by release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable

GENERIC = {4: "PreTrainedTokenizerFast", 5: "TokenizersBackend"}
"""The class, by major release, that takes a tokenizer.json as it is."""

OLDEST = Version("4.46")
"""The first release that the histories know; an older one is taken for it."""

UNSPECIFIC = frozenset({"TokenizersBackend", "PythonBackend"})

History: TypeAlias = Mapping[str, tuple[tuple[str, str | None], ...]]
"""By model type: since which release which class (None: none) is registered for it."""

Ids: TypeAlias = Mapping[str, Mapping[str, int | tuple[int, ...]]]
"""By model type and key (`eos_token_id`): what transformers puts where config.json has none."""


class Unloadable(Unavailable):
    """The installed transformers does not load this tokenizer; the message says why."""


class TokenizerClass(msgspec.Struct, frozen=True):
    """What a class does unasked.

    `tokens` are the special tokens that it names where the files do not. `rebuilds` says that
    it builds its tokenizer anew from the vocabulary alone: `added_tokens` and all else of
    tokenizer.json is passed over. `empty` is the vocabulary that it makes up where there is no
    file ("@eos_token" stands for the eos token), `extra` are further tokens that it adds: where
    no file lists any, and with `extends` to those that are listed. `adds` are the tokens that
    it can put around a text, and whether it does so unasked: a class of transformers 4 that
    shall and has no such token fails.
    `of_five` says that it is a class of transformers 5.
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

    `ids` and `text_ids` are the defaults of configurations and of their text models; those in
    `hands_down` give what stands at the top to a text model that config.json has no part for.
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
        """The class that transformers finds under a name, None where it finds none."""
        known = self.aliases.get(name, name)
        if known in self.classes:
            five = self.release.startswith("5")
            return msgspec.structs.replace(self.classes[known], name=known, of_five=five)
        if self.release.startswith("5") and name.endswith("Fast"):
            return self.named(name.removesuffix("Fast"))
        return None

    @property
    def generic(self) -> TokenizerClass:
        """The class that takes a tokenizer.json as it is."""
        found = self.named(GENERIC[int(self.release[0])])
        assert found is not None
        return found


@dataclass(frozen=True)
class ClassRequest:
    """What a folder's files say about the class: the names that they give, and what is there.

    `in_model` says that config.json names the class, and tokenizer_config.json none.
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
    """What is known of the classes of a release; of the newest where `version` is None."""
    major = "4" if version is not None and version.major < 5 else "5"
    data = (Path(__file__).parents[2] / "data" / "tokenizers.json").read_bytes()
    found = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(found[major], type=Release)


def choose(asked: ClassRequest, version: Version) -> TokenizerClass:
    """The class that is made; raises `Unloadable`, and `Unavailable` where the folder's own code
    decides."""
    if asked.has_own_code and asked.trusted:
        raise Unavailable("the folder's own code makes the tokenizer (auto_map)")
    known = release(version)
    final = max(Version(version.base_version), OLDEST)
    return (_choose_five if final.major >= 5 else _choose_four)(asked, known, final)


def _choose_four(asked: ClassRequest, known: Release, version: Version) -> TokenizerClass:
    registered = _at(known.model_types, asked.model_type, version)
    if asked.named is not None:
        found = known.named(f"{asked.named}Fast") if not asked.named.endswith("Fast") else None
        found = found or known.named(asked.named)
        reason = f"its tokenizer_class {asked.named} is not in transformers {version}"
    else:
        found = known.named(registered) if registered else None
        reason = f"it has no tokenizer for the model_type {asked.model_type!r}"
        if asked.model_type is None:
            reason = "no file names a tokenizer_class or a model_type"
    if found is None and asked.has_own_code:
        raise Unloadable("it needs the folder's own code (auto_map) and trust_remote_code")
    if found is None:
        raise Unloadable(reason)
    return found


def _choose_five(asked: ClassRequest, known: Release, version: Version) -> TokenizerClass:
    registered = _at(known.model_types, asked.model_type, version)
    forced = _at(known.forced, asked.model_type, version) is not None
    generic = known.generic
    if forced and registered is None:
        registered = GENERIC[5]
    if not asked.has_own_code:
        found = _overruled(asked, known, version, registered, forced)
        if found is not None:
            return found
    elif not forced and registered is None and not (asked.named and known.named(asked.named)):
        raise Unloadable("it needs the folder's own code (auto_map) and trust_remote_code")
    name = asked.named or registered or GENERIC[5]
    found = known.named(name.removesuffix("Fast")) or known.named(name)
    return generic if found is None or found.name in UNSPECIFIC else found


def _overruled(
    asked: ClassRequest, known: Release, version: Version, registered: str | None, forced: bool
) -> TokenizerClass | None:
    """The class where model type and named class disagree; None where they do not."""
    generic = known.generic
    named = (asked.named or "").removesuffix("Fast")
    by_bytes = version >= Version("5.22") and asked.byte_level and not forced
    if by_bytes and named == "LlamaTokenizer" and asked.model_type not in MISTRAL:
        return generic
    overlooked = asked.in_model and version < Version("5.12")
    if not named or not asked.model_type or registered == named or overlooked:
        return None
    if registered is None and version >= Version("5.3"):
        return None
    if registered is None or version < Version("5.6"):
        return generic if asked.has_tokenizer_json else known.named(named)
    if registered in UNSPECIFIC and version >= Version("5.7"):
        return generic
    overrules = forced and version >= Version("5.8")
    found = known.named(registered if overrules else asked.named or "")
    return generic if found is None or found.name in UNSPECIFIC else found


MISTRAL = frozenset(
    {"ministral", "ministral3", "mistral", "mistral3", "mistral_large4", "mixtral", "pixtral",
     "voxtral", "voxtral_realtime"}
)  # fmt: skip
"""Model types whose class is mistral-common's where that is installed."""


def _at(history: History, model_type: str | None, version: Version) -> str | None:
    """What a history says of a model type at a release."""
    found = None
    for since, name in history.get(model_type or "", ()):
        if version >= Version(since):
            found = name
    return found
