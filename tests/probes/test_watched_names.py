"""Texts that are looked for in the names of weights: none has them, or too many have them."""

import copy
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import watched_names
from trl_doctor.probes.rehearsal.models.watched_names import Name, Searches, tail_of

NAMES = (
    "model.vision_tower.layers.0.weight",
    "model.language_model.embed_tokens.weight",
    "model.language_model.layers.0.mlp.weight",
    "model.language_model.layers.1.mlp.weight",
)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[Name]:
    """The names of a model, as a script at line 7 gets them."""
    monkeypatch.setattr(watched_names, "called_by_user", lambda: ("train.py", 7))
    searches, watched = Searches(), [Name(name) for name in NAMES]
    searches.names += NAMES
    for name in watched:
        name.searches = searches
    return watched


def in_vain(names: list[Name]) -> list[tuple[str, str]]:
    return [(text, parts) for text, parts, _ in names[0].searches.in_vain()]


def test_a_part_that_has_another_name(names: list[Name]) -> None:
    assert not any(name.startswith(("model.layers.0", "model.embed_tokens.")) for name in names)
    assert in_vain(names) == [
        ("model.layers.0", "model.vision_tower.layers.0, model.language_model.layers.0"),
        ("model.embed_tokens.", "model.language_model.embed_tokens"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "model.language_model.layers.0",
        "layers.7",
        "lora",
        "module.",
        "base_model.model.",
        "ln.weight",
    ],
)
def test_a_text_that_is_found_or_names_no_part_of_this_model(text: str, names: list[Name]) -> None:
    _ = [(text in name, name.startswith(text)) for name in names]
    assert in_vain(names) == []


def test_names_of_several_models_of_which_one_is_found(names: list[Name]) -> None:
    kinds = ("model.embed_tokens", "model.language_model.embed_tokens", "transformer.wte")
    assert any(kind in name for name in names for kind in kinds)
    assert in_vain(names) == []


def test_a_name_is_a_text(names: list[Name]) -> None:
    assert {names[0]: 1}[NAMES[0]] == 1
    assert type(copy.copy(names[0])) is str
    assert "layers" in names[0] and names[0].startswith("model") and not names[0].endswith("mlp")


@pytest.mark.parametrize(
    ("text", "tail"),
    [("model.layers.0", "layers.0"), ("model.layers.", "layers"), ("a.b.c", "c"), ("lora", "lora")],
)
def test_the_last_part(text: str, tail: str) -> None:
    assert tail_of(text) == tail


def more_layers(names: list[Name], layers: int) -> list[tuple[str, list[int]]]:
    names[0].searches.layers = layers
    return [(text, numbers) for text, numbers, _ in names[0].searches.too_many()]


def test_a_text_that_more_layers_have(names: list[Name]) -> None:
    assert sum("layers.1" in name for name in names) == 1
    assert more_layers(names, 10) == more_layers(names, 0) == []
    assert more_layers(names, 12) == [("layers.1", [10, 11])]


def test_the_layers_that_a_line_means_are_all_that_it_looks_for(names: list[Name]) -> None:
    assert sum(any(f"layers.{n}" in name for n in range(16)) for name in names) == 3
    assert more_layers(names, 16) == []
    assert more_layers(names, 18) == [("layers.1", [16, 17])]


@pytest.mark.parametrize("text", ["layers.1.", "layers.1.mlp", "layers.24", "expert.1"])
def test_a_text_of_one_layer(text: str, names: list[Name]) -> None:
    assert [text in name for name in names]
    assert more_layers(names, 32) == []


@pytest.mark.parametrize(
    "search",
    [
        lambda name: "layers.1" in name and name.split(".")[3] == "1",
        lambda name: "layers.1" in name and "layers.1." not in name,
        lambda name: "vision_tower.layers.0" in name or "head.layers.1" in name,
    ],
)
def test_a_text_that_more_layers_have_on_purpose(search: Any, names: list[Name]) -> None:
    names[0].searches.names.append("head.layers.1.weight")
    names.append(Name("head.layers.1.weight"))
    names[-1].searches = names[0].searches
    assert [search(name) for name in names]
    assert more_layers(names, 12) == []
