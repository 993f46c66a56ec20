"""Whole models that a script downloads by name: it gets the folder of the small one."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from .. import patching
from .small import Small


class Snapshots:
    """`huggingface_hub.snapshot_download` of models; data sets are downloaded as they are."""

    def __init__(self, small: Small) -> None:
        self.small = small

    def act(self, module: ModuleType) -> None:
        """Patch its module."""
        patching.around(module, "snapshot_download", self._download)

    def _download(self, original: Any, name: Any, *args: Any, **more: Any) -> Any:
        folder = name if more.get("repo_type") not in (None, "model") else self.small.folder(name)
        if folder is name:
            return original(name, *args, **more)
        local = more.get("local_dir")
        self.small.downloaded(folder, os.fspath(local) if local else None)
        return folder
