"""Streams whose nested values are still texts of JSON."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.encoded import undecoded


class Stream(list[dict[str, Any]]):
    features: object = None


@pytest.mark.parametrize(
    ("cell", "found"),
    [(['{"role": "user"}'], True), ([{"role": "user"}], False), ("What is six?", False)],
)
def test_texts_of_json_are_not_decoded(cell: Any, found: bool) -> None:
    stream = Stream([{"messages": cell}])
    assert undecoded(stream) is found
    assert undecoded({"train": stream}) is found
    stream.features = {"messages": "known"}
    assert not undecoded(stream)
