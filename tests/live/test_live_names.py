"""Findings in memory name the objects, and not the copies that the rules have read."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.core.finding import Finding, Fix, Place
from trl_doctor.live.naming import Names


@pytest.mark.parametrize(
    "part, place",
    [
        ("run.json", "trainer.args"),
        ("model", "trainer.model"),
        ("model/generation_config.json", "trainer.model.generation_config"),
        ("model/model.safetensors", "trainer.model"),
        ("tokenizer/tokenizer_config.json", "trainer.processing_class"),
        ("tokenizer/chat_template.jinja", "trainer.processing_class.chat_template"),
    ],
)
def test_a_copy_is_named_by_its_object(part: str, place: str) -> None:
    folder = Path("/scratch/one")
    named = Names(folder, {"model": "org/model", "tokenizer": ""})
    finding = Finding(
        Place(folder / part, "/key"), f"{folder}/tokenizer is one, {folder}/model another",
        (f"read: {folder}/{part}",), Fix("set it", ()),
    )  # fmt: skip
    result = named._finding(finding)
    assert (str(result.place.file), result.place.pointer) == (place, "/key")
    assert result.message == "trainer.processing_class is one, trainer.model (org/model) another"
    assert (result.fix, result.remedy) == (None, "set it")
    assert str(folder) not in result.evidence[0]
    elsewhere = Finding(Place(Path("/home/me/rows.jsonl")), "a row")
    assert named._finding(elsewhere) == elsewhere
