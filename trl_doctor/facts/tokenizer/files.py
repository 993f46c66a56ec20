"""The special and added tokens that a folder's files state, in the order of precedence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.core.finding import Place, pointer
from trl_doctor.facts.tokenizer.chosen import TokenizerClass, Unloadable
from trl_doctor.facts.tokenizer.file import TokenizerJson
from trl_doctor.facts.tokenizer.read_values import added_token, list_of, mapping_of, token_id
from trl_doctor.facts.tokenizer.vocabulary import AddedToken
from trl_doctor.files.folder import Folder

if TYPE_CHECKING:
    from trl_doctor.facts.tokenizer.sentencepiece import Piece

CONFIG = "tokenizer_config.json"
MAP = "special_tokens_map.json"
ADDED = "added_tokens.json"
DECODER = "added_tokens_decoder"
ADDITIONAL = "additional_special_tokens"
EXTRA = "extra_special_tokens"
ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The special tokens that every tokenizer may name, in the order in which they are added."""


class RoleToken(Struct, frozen=True):
    """A special token by its role; `by` is the class that sets it where no file names one."""

    token: AddedToken
    place: Place
    by: str = ""


class StatedTokens(Struct, frozen=True):
    """Named tokens by role, special tokens without a role, and added tokens by the claimed id.

    `in_order` are all special tokens in the order in which transformers adds new ones. `legacy`
    says that special_tokens_map.json and added_tokens.json are read: only where
    tokenizer_config.json has no `added_tokens_decoder`.
    """

    named: Mapping[str, RoleToken]
    extra: tuple[AddedToken, ...]
    claimed: Mapping[int, AddedToken]
    legacy: bool
    in_order: tuple[AddedToken, ...]


def stated_tokens(
    folder: Folder,
    tokenizer_class: TokenizerClass,
    version: Version,
    file: TokenizerJson | None,
    pieces: Sequence[Piece],
) -> StatedTokens:
    """The tokens of all files for this class; raises `Unloadable` if transformers would fail."""
    options = _Options(folder, version)
    tokens = {
        role: named_token
        for role in ROLES
        if (named_token := options.named(role, tokenizer_class, file))
    }
    specific = {
        role: token for role, token in options.specific(tokenizer_class) if role not in ROLES
    }
    extra = tuple(options.extra(tokenizer_class, {**tokens, **specific}))
    if options.five and pieces and EXTRA not in options.values:
        from trl_doctor.facts.tokenizer.sentencepiece import controls

        extra = tuple(controls(pieces))
    for role, default in tokenizer_class.adds.items():
        if options.values.get(f"add_{role}", default) and role not in tokens:
            raise Unloadable(f"{tokenizer_class.name} is set to add a {role}, but there is none")
    usual, rare = ([entry.token for entry in roles.values()] for roles in (tokens, specific))
    order = (*usual, *rare, *extra) if options.five else (*usual, *extra, *rare)
    special = {token.content for token in order}
    claimed = {
        id: replace(token, special=True) if token.content in special else token
        for id, token in options.claimed(file).items()
    }
    return StatedTokens({**tokens, **specific}, extra, claimed, options.legacy, order)


class _Options:
    """The options that the files pass to the class, and the file that each comes from."""

    def __init__(self, folder: Folder, version: Version) -> None:
        self.folder, self.version = folder, version
        document = folder.get(CONFIG)
        self.values: dict[str, Any] = {**document.mapping()} if document else {}
        self.files = dict.fromkeys(self.values, CONFIG)
        self.legacy = DECODER not in self.values
        self.five = version.major >= 5
        self.own_roles: dict[str, tuple[Any, Place]] = {}
        self.mistaken: dict[str, str] = {}
        if self.five:
            self._rename()
        self._separate_own_roles()
        if self.legacy:
            self._read_map()
            self._separate_own_roles()

    def _rename(self) -> None:
        """Rename the list of tokens without a role as transformers 5 does.

        Before 5.18 the value under the old name is dropped where the new name is present, even if
        the new one is empty.
        """
        late = self.version >= Version("5.18")
        has_new_name = self.values.get(EXTRA) if late else EXTRA in self.values
        if ADDITIONAL in self.values and not (late and has_new_name):
            value = self.values.pop(ADDITIONAL)
            if not has_new_name:
                self.values[EXTRA], self.files[EXTRA] = value, CONFIG

    def _separate_own_roles(self) -> None:
        """Move the roles that only this model has (`extra_special_tokens`, an object) apart."""
        if self.version < Version("4.47") or not isinstance(self.values.get(EXTRA), dict):
            return
        for role, value in self.values.pop(EXTRA).items():
            file = self.folder.file(self.files[EXTRA])
            self.own_roles[role] = value, Place(file, pointer(EXTRA, role))

    def _read_map(self) -> None:
        """Let special_tokens_map.json overwrite what tokenizer_config.json states."""
        document = self.folder.get(MAP)
        lists = EXTRA if self.five else ADDITIONAL
        for key, value in (document.mapping() if document else {}).items():
            content: Any = value
            if isinstance(value, dict) and not (self.five and key == EXTRA):
                content = added_token({**value, "special": True}, f"{key} in {MAP}")
            elif key == lists and isinstance(value, list):
                before = list_of(self.values.get(key), f"{key} in {CONFIG}")
                tokens = [
                    added_token(t, f"{key} in {MAP}") if isinstance(t, dict) else t for t in value
                ]
                content = [*before, *(token for token in tokens if token not in before)]
                self._mistake(tokens)
            self.values[key], self.files[key] = content, MAP

    def _mistake(self, listed: Sequence[Any]) -> None:
        """Transformers 4 mistakes the last token of added_tokens.json for the last one listed."""
        added = self.folder.get(ADDED)
        if listed and not self.five and added and added.mapping():
            last = listed[-1]
            content = last.content if isinstance(last, AddedToken) else str(last)
            self.mistaken = {content: [*added.mapping()][-1]}

    def place(self, key: str) -> Place:
        return Place(self.folder.file(self.files.get(key, CONFIG)), pointer(key))

    def named(
        self, role: str, tokenizer_class: TokenizerClass, file: TokenizerJson | None
    ) -> RoleToken | None:
        """The token of a role; None if nothing names one, or a file has null."""
        if role in self.values:
            if self.values[role] is None:
                return None
            token = self._token(role, self.values[role])
            added = {t.content for t in file.added} if file else ()
            if token.content in self.mistaken and token.content not in added:
                token = AddedToken(self.mistaken[token.content], True, False)
            return RoleToken(token, self.place(role))
        default = tokenizer_class.tokens.get(role)
        if default is not None:
            token, place = AddedToken(default, special=True), _place_of_class(self)
            return RoleToken(token, place, tokenizer_class.name)
        own_pad = role == "pad_token" and role not in tokenizer_class.tokens
        if own_pad and file and file.pad_token is not None:
            place = Place(file.file, "/padding/pad_token")
            return RoleToken(AddedToken(file.pad_token, True), place)
        return None

    def specific(self, tokenizer_class: TokenizerClass) -> Iterator[tuple[str, RoleToken]]:
        """The tokens of roles that only this class or this model has, such as `image_token`."""
        if self.five:
            for role, default in tokenizer_class.tokens.items():
                if default is not None:
                    token, place = AddedToken(default, True), _place_of_class(self)
                    yield role, RoleToken(token, place, tokenizer_class.name)
            for key, value in self.values.items():
                if key.endswith("_token") and isinstance(value, str | AddedToken):
                    yield key, RoleToken(self._token(key, value), self.place(key))
        for role, (value, place) in self.own_roles.items():
            yield role, RoleToken(self._token(f"{EXTRA}.{role}", value), place)

    def extra(
        self, tokenizer_class: TokenizerClass, stated: Mapping[str, RoleToken]
    ) -> Iterator[AddedToken]:
        """The special tokens that have no role."""
        key = EXTRA if self.five and EXTRA in self.values else ADDITIONAL
        value = self.values.get(key)
        if not self.five and self.version >= Version("4.47") and EXTRA in self.values:
            raise Unloadable(f"{EXTRA} in {self.files[EXTRA]} is no object")
        listed = list_of(value, f"{key} in {self.files.get(key)}")
        tokens = [self._token(key, token) for token in listed]
        yield from tokens
        contents = {token.content for token in tokens}
        own = self._own_extra(tokenizer_class)
        extends = tokenizer_class.extends and key == ADDITIONAL and contents.isdisjoint(own)
        if value is None or extends:
            for content in own:
                role = stated.get(content[1:]) if content.startswith("@") else None
                yield role.token if role else AddedToken(content, special=True)

    def _own_extra(self, tokenizer_class: TokenizerClass) -> tuple[str, ...]:
        """The tokens that a class adds by itself: T5's as many as `extra_ids` says."""
        own, count = tokenizer_class.extra, self.values.get("extra_ids")
        if "<extra_id_0>" in own and isinstance(count, int):
            return tuple(f"<extra_id_{number}>" for number in range(count))
        return own

    def claimed(self, file: TokenizerJson | None) -> dict[int, AddedToken]:
        """The added tokens by the ids that the files state for them."""
        if not self.legacy:
            entries = mapping_of(self.values[DECODER], f"{DECODER} in {CONFIG}")
            return {
                token_id(id): added_token(entry, f"{DECODER} {id}") for id, entry in entries.items()
            }
        document = self.folder.get(ADDED)
        ids = mapping_of(document.value, ADDED) if document else {}
        claimed = {token_id(id): AddedToken(token) for token, id in ids.items()}
        return {**claimed, **(file.claimed if file else {})}

    def _token(self, key: str, value: Any) -> AddedToken:
        where = f"{key} in {self.files.get(key.partition('.')[0], CONFIG)}"
        if isinstance(value, str):
            return AddedToken(value, special=True, normalized=False)
        if isinstance(value, dict) and value.get("__type") == "AddedToken":
            return added_token(value, where)
        if isinstance(value, AddedToken):
            return value
        raise Unloadable(f"{where} is neither text nor marked as an AddedToken")


def _place_of_class(options: _Options) -> Place:
    """The place where the files name the class."""
    if "tokenizer_class" in options.values:
        return options.place("tokenizer_class")
    key = "/tokenizer_class"
    document = options.folder.get("config.json")
    if document and document.get("tokenizer_class") is None:
        key = "/model_type"
    return Place(options.folder.file("config.json" if document else CONFIG), key)
