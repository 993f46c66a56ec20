"""Notes where the script edits its tokenizer."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from ...processing import tokenizer_of
from .. import patching
from ..record import Record
from ..where import called_by_user

WATCHED = ("pad_token", "eos_token", "bos_token", "unk_token", "chat_template", "padding_side",
           "pad_token_id", "eos_token_id", "bos_token_id", "model_max_length")  # fmt: skip

NAMED = ("pad_token", "eos_token", "bos_token", "unk_token", "chat_template")
"""What a script may name where it loads a tokenizer."""

FORMATTING = ("setup_chat_format", "clone_chat_template")
"""Functions of TRL that give a tokenizer another chat template and other special tokens."""


def _source(tokenizer: Any) -> str:
    """The folder or the id of the Hub that a tokenizer was loaded from."""
    return str(getattr(tokenizer, "name_or_path", "") or "")


class Edits:
    """A patch of the class that all tokenizers extend."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.made = 0
        self._added_to: dict[str, set[str]] = {}
        """Tokens that the script has added to tokenizers, by where these come from."""

    def tokens_for(self, trainer: Any) -> set[str]:
        """Tokens that the script has added to the trainer's tokenizer, or one of the same model."""
        return self._added_to.get(_source(tokenizer_of(trainer)), set())

    def act(self, module: ModuleType) -> None:
        """Note what is set, and what is added."""
        owner = module.PreTrainedTokenizerBase
        for kind in (owner, *owner.__mro__[1:-1]):
            patching.each(kind, ("add_tokens", "add_special_tokens"), self._added)
        if "__setattr__" not in vars(owner):
            inherited = owner.__setattr__

            def set_attribute(tokenizer: Any, name: str, value: Any) -> None:
                inherited(tokenizer, name, value)

            owner.__setattr__ = set_attribute
        patching.around(owner, "__setattr__", self._set)

    def given(self, load: patching.Around) -> patching.Around:
        """`load`, which also notes what the script names where it loads a tokenizer."""

        @functools.wraps(load)  # it names what it is given, as the library does
        def loads(original: Any, *args: Any, **more: Any) -> Any:
            at, tokenizer = called_by_user(), load(original, *args, **more)
            for name in NAMED if at else ():
                if more.get(name) is not None:
                    self.made += 1
                    self.record.add("tokenizer", edit=name, value=str(more[name])[:80], at=at,
                                    object=id(tokenizer))  # fmt: skip
            return tokenizer

        return loads

    def formats(self, module: ModuleType) -> None:
        """Note where TRL is asked for another format of conversations."""
        patching.each(module, FORMATTING, self._formatted)

    def _formatted(self, original: Any, *args: Any, **more: Any) -> Any:
        at = called_by_user()
        changed = original(*args, **more)
        if at:
            self.made += 1
            for name in ("chat_template", "bos_token", "eos_token", "pad_token"):
                self.record.add("tokenizer", edit=name, value=original.__name__, at=at)
        return changed

    def _set(self, original: Any, tokenizer: Any, name: str, value: Any) -> None:
        original(tokenizer, name, value)
        at = called_by_user() if name in WATCHED else None
        if at:
            self.made += 1
            self.record.add("tokenizer", edit=name.replace("_id", ""), value=str(value)[:80],
                            at=at, object=id(tokenizer))  # fmt: skip

    def _added(self, original: Any, tokenizer: Any, *args: Any, **more: Any) -> Any:
        at = called_by_user()
        before = {*tokenizer.get_added_vocab()} if at else set()
        count = original(tokenizer, *args, **more)
        if at:
            new = {*tokenizer.get_added_vocab()} - before
            self._added_to.setdefault(_source(tokenizer), set()).update(new)
            self.made += 1
            self.record.add("tokenizer", edit="added_tokens", value=count, at=at,
                            object=id(tokenizer))  # fmt: skip
        return count
