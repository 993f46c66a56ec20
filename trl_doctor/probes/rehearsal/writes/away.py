"""Keeps logins, uploads, trackers and writes away from what is the user's, and records them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import audit
from .. import patching
from ..order import Order
from ..record import Record
from ..rows.sources import ENDINGS
from ..where import here

ALLOWED = ("/dev/", "/proc/")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = {"os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.rename": 2, "os.link": 2,
            "os.symlink": 2, "os.truncate": 1, "os.chmod": 1, "shutil.rmtree": 1}  # fmt: skip
"""Audit events that change files, and how many of their first arguments are paths."""

ELSEWHERE = "elsewhere"
"""The folder in the scratch folder with what was meant for outside."""

TOKENIZER = ("tokenizer.json",)
WEIGHTS = ("model*.safetensors", "adapter_model*.safetensors", "*model*.bin")
"""Files that a save writes anew, by compiled code; those of an earlier run may be links."""

MOST_READ = 64
"""Files that are remembered."""

USER, PASSWORD = "user", "0" * 40
"""The user name and the password that a script gets."""


def _nothing(saved: Any, folder: Any) -> None:
    """What is saved is not looked at."""


class KeptAway(PermissionError):
    """A rehearsal does not write there."""


class Away:
    """Patches and a hook; each event is reported once."""

    def __init__(self, order: Order, record: Record) -> None:
        self.order, self.record = order, record
        self.read: list[Path] = []
        """Files that may have rows, and were opened to be read."""
        self._told: set[tuple[str, str]] = set()
        self._asking = False

    def inside(self, real: str) -> bool:
        """Whether a rehearsal may write to this path."""
        folders = (self.order.scratch, self.order.records, *self.order.caches)
        within = tuple(str(folder) + os.sep for folder in folders)
        return (real + os.sep).startswith((*within, *ALLOWED))

    def watch_writes(self) -> None:
        """From now on a write outside the scratch folder raises, with the file's name."""
        audit.watch(("open",), self._opens)
        audit.watch(CHANGING, self._changes)

    def saves(
        self,
        name: str,
        *classes: str,
        files: tuple[str, ...] = (),
        then: Callable[[Any, Any], None] = _nothing,
    ) -> Any:
        """What is saved by a method of these classes outside the scratch folder is saved in it.

        `files` are those that it writes anew. Then `then` gets what was saved, and its folder.
        """

        def save(original: Any, saved: Any, folder: Any = None, *args: Any, **more: Any) -> Any:
            more.pop("push_to_hub", None)
            folder = self.moved(folder, files)
            result = original(saved, folder, *args, **more)
            with contextlib.suppress(Exception):  # what is seen is reported, or left alone
                then(saved, folder)
            return result

        def act(module: ModuleType) -> None:
            for kind in classes:
                if hasattr(module, kind):
                    patching.around(getattr(module, kind), name, save)

        return act

    def moved(self, folder: Any, files: tuple[str, ...] = ()) -> Any:
        """The folder, or the one in the scratch folder that replaces it.

        `files` will be written anew: links to those of the user's are removed from the copy.
        """
        if not isinstance(folder, (str, os.PathLike)):
            return folder
        real = os.path.realpath(os.fspath(folder))
        if self.inside(real):
            self._unlink([link for name in files for link in Path(real).glob(name)])
            return folder
        self.moves(real)
        return str(elsewhere(real, self.order))

    def _unlink(self, files: list[Path]) -> None:
        self._asking = True
        try:
            for link in files:
                if link.is_symlink():
                    link.unlink()
        finally:
            self._asking = False

    def moves(self, real: str) -> None:
        """Report a write outside that is made in the scratch folder instead; once for each
        folder.
        """
        above = (*map(str, Path(real).parents), real)
        if not any(kind == "moved" and name in above for kind, name in self._told):
            self.report_once("moved", real)

    def hub(self, module: ModuleType) -> None:
        """Logins and uploads are reported and not made."""
        for name in ("login", "notebook_login", "interpreter_login"):
            self._silence(module, name, "login")

    def hub_api(self, module: ModuleType) -> None:
        """The same for the methods of the Hub's client."""
        for name in ("upload_file", "upload_folder", "create_repo", "create_commit",
                     "upload_large_folder", "create_branch", "create_tag"):  # fmt: skip
            self._silence(module.HfApi, name, "upload")
            self._silence(module, name, "upload")

    def user(self, module: ModuleType) -> None:
        """Who is logged in, of `huggingface_hub.hf_api`: a placeholder name."""

        def named(original: Any, *args: Any, **more: Any) -> dict[str, Any]:
            self.report_once("login", "whoami")
            return {"type": "user", "name": USER, "fullname": USER, "email": "", "orgs": [],
                    "auth": {"type": "access_token"}}  # fmt: skip

        patching.around(module.HfApi, "whoami", named)
        patching.around(module, "whoami", named)

    def tracker(self, module: ModuleType) -> None:
        """Runs of wandb and trackio are reported; variables keep wandb's on this machine."""
        name = module.__name__

        def begun(original: Any, *args: Any, **more: Any) -> Any:
            self.report_once("run", name)
            if name == "wandb" and "mode" in more:
                more["mode"] = "disabled"
            return original(*args, **more)

        def logged_in(original: Any, *args: Any, **more: Any) -> bool:
            self.report_once("login", name)
            return True

        patching.around(module, "init", begun)
        patching.around(module, "login", logged_in)

    def passwords(self, module: ModuleType) -> None:
        """The script gets zeros where it asks for a password, as for a token."""

        def password(original: Any, *args: Any, **more: Any) -> str:
            self.report_once("password", "")
            return PASSWORD

        patching.around(module, "getpass", password)

    def mixin(self, module: ModuleType) -> None:
        """Models and tokenizers are pushed nowhere."""
        if hasattr(module, "PushToHubMixin"):
            self._silence(module.PushToHubMixin, "push_to_hub", "upload")

    def _silence(self, owner: Any, name: str, kind: str) -> None:
        def call(original: Any, *args: Any, **more: Any) -> None:
            self.report_once(kind, name)

        patching.around(owner, name, call)

    def report_once(self, kind: str, name: str) -> None:
        """Report an event once."""
        if (kind, name) not in self._told:
            self._told.add((kind, name))
            self.record.add("kept away", what=kind, name=name, at=here())

    def _opens(self, event: str, given: tuple[Any, ...]) -> None:
        path, mode, flags = given
        writes = isinstance(flags, int) and flags & WRITING
        if (mode is None and not writes) or (
            isinstance(mode, str) and mode[:1] == "r" and ("+" not in mode)
        ):
            if isinstance(path, str) and path.endswith(ENDINGS) and len(self.read) < MOST_READ:
                self.read.append(Path(path))
        else:
            self._refuse(path)

    def _changes(self, event: str, given: tuple[Any, ...]) -> None:
        for path in given[: CHANGING[event]]:
            if event != "os.mkdir" or not Path(path).is_dir():  # fails by itself
                self._refuse(path)

    def _refuse(self, path: Any) -> None:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, (str, os.PathLike)) or self._asking:
            return
        real = os.path.realpath(os.fspath(path))
        if self.inside(real) or elsewhere(real, self.order).exists():
            return
        self._asking = True
        try:
            self.report_once("write", real)
        finally:
            self._asking = False
        raise KeptAway(13, "a rehearsal does not write there", real)


def elsewhere(path: str, order: Order) -> Path:
    """Where in the scratch folder something is saved that was meant for elsewhere."""
    return order.scratch / ELSEWHERE / str(Path(path).absolute()).lstrip("/")
