"""GPUs by name, and what the command line states about them."""

from __future__ import annotations

import click
import pytest

from trl_doctor.checkup.stated_gpus import stated_gpus
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.cards import CARDS, card, several

GIB = 1024**3


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("H100-80GB", "H100-80GB"), ("h100", "H100-80GB"), ("A100", "A100-80GB"),
        ("a100-40gb", "A100-40GB"), ("NVIDIA H200", "H200-141GB"), ("RTX 4090", "RTX-4090-24GB"),
        ("4090", "RTX-4090-24GB"), ("L4", "L4-24GB"), ("a10g", "A10G-24GB"),
        ("V100-16GB", "V100-16GB"),
    ],
)  # fmt: skip
def test_cards_are_found_by_what_people_call_them(said: str, name: str) -> None:
    assert card(said).name == name


@pytest.mark.parametrize("one", CARDS, ids=lambda one: one.name)
def test_every_card_is_found_by_its_own_name(one: object) -> None:
    assert card(getattr(one, "name")) == one  # noqa: B009


def test_an_unknown_card_is_told_with_near_names() -> None:
    with pytest.raises(Unavailable, match=r"use --gpu-memory 24GiB instead; near it: .*H100"):
        card("H101")


@pytest.mark.parametrize(
    ("said", "count", "name"), [("8xH100", 8, "H100"), ("2 × L4", 2, "L4"), ("L4", 1, "L4")]
)
def test_several_are_counted(said: str, count: int, name: str) -> None:
    assert several(said) == (count, name)


def test_memory_can_be_said_without_a_name_and_beside_one() -> None:
    alone = stated_gpus(None, "24GiB", None, None, False, None)
    assert alone is not None and alone.card.memory == 24 * GIB
    four = stated_gpus("4", "24GiB", 2, 3, False, None)
    assert four is not None and (four.gpus, four.nodes, four.zero) == (4, 2, 3)
    new = stated_gpus("8xX1000", "512GiB", None, None, False, None)
    assert new is not None and (new.card.name, new.card.memory) == ("X1000", 512 * GIB)


def test_nothing_said_is_no_gpu() -> None:
    assert stated_gpus(None, None, None, None, False, None) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((None, None, 2, None, False, None), "need --gpu"),
        (("H100", None, None, 3, True, None), "--zero and --fsdp"),
        (("X1000", None, None, None, False, None), "--gpu-memory"),
        ((None, "much", None, None, False, None), "is no size"),
        (("0xH100", None, None, None, False, None), "there is no GPU"),
    ],
)
def test_what_means_nothing_is_refused(given: tuple[object, ...], says: str) -> None:
    with pytest.raises(click.UsageError, match=says):
        stated_gpus(*given)  # type: ignore[arg-type]
