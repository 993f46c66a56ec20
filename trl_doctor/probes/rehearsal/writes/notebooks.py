"""Modules that only Colab and Kaggle have: elsewhere their calls do nothing in a rehearsal."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from ..record import Record
from ..where import here

SECRET = "no-secret-in-a-rehearsal"
NOTHING = "its calls do nothing here"


def _none(*args: Any, **more: Any) -> None:
    return None


def _secret(*args: Any, **more: Any) -> str:
    return SECRET


def _empty(*args: Any, **more: Any) -> dict[str, bytes]:
    return {}


MODULES: dict[str, dict[str, Any]] = {
    "google.colab": {},
    "google.colab.drive": {"mount": _none, "flush_and_unmount": _none},
    "google.colab.userdata": {"get": _secret},
    "google.colab.files": {"upload": _empty, "download": _none, "view": _none},
    "google.colab.output": {"clear": _none, "enable_custom_widget_manager": _none},
    "google.colab.auth": {"authenticate_user": _none},
    "google.colab.data_table": {"enable_dataframe_formatter": _none},
    "kaggle_secrets": {"UserSecretsClient": lambda: SimpleNamespace(get_secret=_secret)},
}


class Notebooks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes after all finders: what is installed is what the script gets."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name == "google":
            return importlib.machinery.ModuleSpec(name, None, is_package=True)
        if name not in MODULES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=name == "google.colab")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """An empty module."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Give it its names, and say so once."""
        vars(module).update(MODULES[module.__name__])
        if module.__name__ in ("google.colab", "kaggle_secrets"):
            self.record.add("changed", name=module.__name__, given="installed", used=None,
                            why=NOTHING, at=here())  # fmt: skip
