"""From which small model a folder comes that the script has saved."""

from __future__ import annotations

import json
import os
from typing import Any

from ..order import Order
from ..writes.away import elsewhere

FILE = "origins.jsonl"


class Origins:
    """What all processes of a command have saved, and of which models.

    `with_weights` are the folders of small models whose weights this process has loaded: of a model
    that the script makes of a config alone, and of what is saved of it, nobody has.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.with_weights: set[str] = set()

    def saved(self, folder: str, loaded: str) -> None:
        """Something was saved there, of a model `loaded` from there."""
        origin = self.of(loaded)
        if origin.startswith(str(self.order.models)) and self.of(folder) != origin:
            weights = origin in self.with_weights or self.has_weights(loaded)
            with (self.order.scratch / FILE).open("a", encoding="utf-8") as file:
                file.write(json.dumps([folder, [origin, weights]]) + "\n")

    def of(self, name: str) -> str:
        """The folder of the small model; what the script has not saved is given back as it is."""
        return str(self._known(name)[0])

    def has_weights(self, name: str) -> bool:
        """Whether what was saved there comes from weights that were loaded."""
        return bool(self._known(name)[1])

    def _known(self, name: str) -> list[Any]:
        file = self.order.scratch / FILE
        unknown = [name, False]
        if not name or not file.is_file():
            return unknown
        real = os.path.realpath(name)
        origins: dict[str, list[Any]] = dict(map(json.loads, file.read_text("utf-8").splitlines()))
        return origins.get(real) or origins.get(str(elsewhere(real, self.order)), unknown)
