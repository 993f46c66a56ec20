"""The small random model that replaces a named model: made once, for all processes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

from ...loading.config import ADAPTER, FILE, mapping
from ...refusal import Refused
from ...small_model.depth import layers_of
from ..order import Order
from ..record import Record
from ..settings.deepspeed import alone
from ..where import here
from ..writes.away import elsewhere
from . import stand_in, stand_in_images
from .made import MADE
from .numbered_layers import shrunken
from .origins import Origins

POLICY_SHARE = 0.25
"""The probability of the turn end, token by token: completions end here and there."""

PATIENCE = 120.0
"""Seconds that a process waits for another one's model."""


class NotRehearsable(RuntimeError):
    """The rehearsal has no small model for this; the message says why."""


class Small:
    """Small model folders by the names that the script gives."""

    def __init__(self, order: Order, record: Record) -> None:
        self.order, self.record = order, record
        self._known: dict[str, str] = {}
        self._saved: set[str] = set()
        self._made_up: set[str] = set()
        self._with_images: set[str] = set()
        self.origins = Origins(order)
        self.downloads: set[str] = set()
        self._busy = False
        self.layers: dict[str, int] = {}  # of whole models, by the folders of their small ones

    def saved(self, folder: str, loaded: str) -> None:
        """The script has saved something there, of a model `loaded` from there: it is small."""
        real = os.path.realpath(folder)
        self._saved.add(real)
        self.origins.saved(real, loaded)

    def folder(self, name: Any, images: bool = False) -> Any:
        """The small model's folder for a name or path; what is no name is given back as it is.

        A replacement sees `images` where its name says so, or who loads it.
        """
        if self._busy or not isinstance(name, (str, os.PathLike)) or not str(name).strip():
            return name
        key = os.fspath(name)
        if images and key in self._made_up and not self._sees(key):
            self._known.pop(key)
        if key not in self._known:
            self._busy = True  # what makes the model loads the whole one's files
            try:
                self._known[key] = self._resolve(key, images or self._sees(key))
            finally:
                self._busy = False
        return self._known[key]

    def downloaded(self, folder: str, name: str | None) -> None:
        """The script has downloaded a whole model, and loads it by its folder, or by a name."""
        self.downloads.add(folder)
        self.origins.with_weights.add(folder)
        if name:
            self._known[name] = folder
            self.origins.saved(os.path.realpath(name), folder)

    def _sees(self, name: str) -> bool:
        return name in self._with_images or stand_in.takes_images(name)

    def is_made(self, name: Any) -> bool:
        """Whether the model of this name is a replacement that was made by its name."""
        return os.fspath(name) in self._made_up

    def _resolve(self, name: str, images: bool) -> str:
        saved_name = self.made_by_script(name)
        if saved_name is not None:
            return saved_name
        source, origin = self._source(name, images)
        if (source / ADAPTER).is_file() or not (source / FILE).is_file():
            return str(source) if source.is_dir() else name
        digest = hashlib.sha256(str(source).encode()).hexdigest()[:12]
        into = self.order.models / (f"{MADE}small-{digest}" if origin == "made" else digest)
        with alone():
            report = once(into, lambda: self._build(source, into, name))
        self.record.add("model", name=name, source=str(source), origin=origin, small=str(into),
                        at=here(), **report)  # fmt: skip
        self.layers[f"{into}/model"] = 0 if origin == "made" else layers_of(mapping(source / FILE))
        return str(into / "model")

    def made_by_script(self, name: str) -> str | None:
        """Where it is if the script has saved it: it is small as it is, and so are its parts."""
        moved = elsewhere(name, self.order)
        if moved.is_dir():
            return str(moved)
        real = os.path.realpath(name)
        path = Path(real)
        if path.is_relative_to(self.order.root):
            is_saved = path.is_dir() and not self.order.users(path).exists()
        else:
            is_saved = real.startswith(str(self.order.scratch) + os.sep)
        return name if is_saved or real in self._saved or path.is_file() else None

    def files_of(self, name: str, file: str) -> tuple[Path, str] | None:
        """The folder of a name that is here, and where it came from; in the cache it has a file."""
        if name in self.order.stand_ins:
            return Path(self.order.stand_ins[name]), "stand-in"
        path = Path(name).expanduser()
        if path.is_dir():
            return self.order.users(path.absolute()), "folder"
        if cached := _cached(name, file):
            return cached, "cache"
        if name in self.order.fetched:
            return Path(self.order.fetched[name]), "fetched"
        return None

    def _source(self, name: str, images: bool) -> tuple[Path, str]:
        """The folder of the whole model, and where it came from."""
        if here_already := self.files_of(name, FILE):
            return here_already
        if ("/" not in name and not stand_in.kind(name)) or name.startswith((".", "/", "~")):
            return Path(name).expanduser(), "missing"
        which = "images-" if images else ""
        into = self.order.models / f"{MADE}{which}{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        self._made_up.add(name)
        if images:
            self._with_images.add(name)
            once(into, lambda: {"type": _with_images(name, into / "model")})
        else:
            once(into, lambda: {"type": stand_in.written(name, into / "model")})
        return into / "model", "made"

    def _build(self, source: Path, into: Path, name: str) -> dict[str, Any]:
        role = _role(mapping(source / FILE))
        ends = _ends(source, self.order.trusted)
        request = {
            "folders": {role: str(source)},
            "trust_remote_code": self.order.trusted,
            "ends": ends,
        }
        (into / "model").mkdir(parents=True, exist_ok=True)
        try:
            tiny = shrunken(
                request, role, into / "model", POLICY_SHARE if role == "policy" else None
            )
        except Refused as why:
            raise NotRehearsable(f"no small model of {name} could be made: {why}") from why
        return {**tiny.sizes(), **ends, "preferred": tiny.turn_end}


def _role(config: dict[str, Any]) -> str:
    """What a model is by its config: one that scores has no names for several labels."""
    architectures = config.get("architectures") or [""]
    if not str(architectures[0]).endswith("SequenceClassification"):
        return "policy"
    return "classifier" if len(config.get("id2label") or ()) > 1 else "reward"


def _with_images(name: str, into: Path) -> str:
    try:
        return stand_in_images.written(name, into, stand_in.SPECIAL)
    except ImportError:
        raise
    except Exception as error:  # another shape of these classes
        reason = f"{name} takes images, and it is not on this machine"
        raise NotRehearsable(f"{reason}; a replacement could not be made: {error}") from error


def _cached(name: str, file: str) -> Path | None:
    """The snapshot of a name of the Hub in the local cache that has a file."""
    try:
        from huggingface_hub import try_to_load_from_cache

        cached = try_to_load_from_cache(name, file)
    except Exception:  # no name of a repository
        return None
    return Path(cached).parent if isinstance(cached, str) else None


def _ends(source: Path, trusted: bool) -> dict[str, Any]:
    """Those of a folder's tokenizer; None if it cannot be loaded."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(str(source), trust_remote_code=trusted)
    except Exception:  # the script's own call says what is wrong with it
        return {"turn_end": None, "eos": None}
    return ends_of(tokenizer)


def ends_of(tokenizer: Any) -> dict[str, Any]:
    """The id that ends a turn of the chat template, and the eos; None if there is none."""
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "zebra"}]
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False)
    except Exception:
        return {"turn_end": None, "eos": tokenizer.eos_token_id}
    rest = str(text).rpartition("zebra")[2]
    special = set(tokenizer.all_special_ids) | set(tokenizer.get_added_vocab().values())
    ids = [
        token
        for token in tokenizer(rest, add_special_tokens=False)["input_ids"]
        if token in special
    ]
    return {"turn_end": ids[0] if ids else None, "eos": tokenizer.eos_token_id}


def once(into: Path, make: Any) -> dict[str, Any]:
    """Let one of all processes make a folder while the others wait; its report."""
    marker = into / "done.json"
    into.parent.mkdir(parents=True, exist_ok=True)
    try:
        into.mkdir()
    except FileExistsError:
        end = time.monotonic() + PATIENCE
        while not marker.exists() and time.monotonic() < end:
            time.sleep(0.05)
        content: dict[str, Any] = mapping(marker)
        if "failed" in content:
            raise NotRehearsable(content["failed"]) from None
        return content
    report: dict[str, Any] = {"failed": "another process could not make the small model"}
    try:
        report = make()
    except Exception as error:
        report = {"failed": str(error)}
        raise
    finally:
        part = into / "done.part"
        part.write_text(json.dumps(report), "utf-8")
        part.replace(marker)
    return report
