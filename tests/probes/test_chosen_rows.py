"""Rows that a script takes by their numbers, while a rehearsal has some of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows import data, origins
from trl_doctor.probes.rehearsal.rows.data import Data


class Array:
    """An array of Arrow, as `Dataset.sort` passes it: its own numbers cannot be compared."""

    def __iter__(self) -> Any:
        return iter([object(), object()])

    def to_pylist(self) -> list[int]:
        return [1, 0]


@pytest.mark.parametrize("indices", [[1, 0], (1, 0), iter([1, 0]), Array()])
def test_numbers_of_every_form(indices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(origins, "chosen", lambda rows, whole, numbers: given.append(numbers))
    rows = SimpleNamespace(short=False)
    Data._select(rows, lambda whole, few: given.append(few), ["a", "b"], indices)  # type: ignore[arg-type]
    assert given == [[1, 0], [1, 0]]
    assert data.origins is origins
