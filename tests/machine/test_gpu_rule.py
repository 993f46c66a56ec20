"""The rule about GPUs without bfloat16, on stand-in GPUs: no hardware is read."""

import pytest
from trl_doctor_rules.runs.launch.gpu_without_bf16 import judge

from trl_doctor.facts.launch.hardware import Card

CARDS = {
    "Tesla P100": (6, 0),
    "Tesla V100": (7, 0),
    "Tesla T4": (7, 5),
    "A100": (8, 0),
    "RTX 4090": (8, 9),
    "H200": (9, 0),
    "B200": (10, 0),
}


@pytest.mark.parametrize("name", CARDS)
def test_only_gpus_before_ampere_lack_bf16(name: str) -> None:
    lacking = judge([Card(name, CARDS[name])])
    assert bool(lacking) == (CARDS[name][0] < 8)


def test_among_several_gpus_those_without_are_named() -> None:
    cards = [Card(name, capability) for name, capability in CARDS.items()]
    assert [card.name for card in judge(cards)] == ["Tesla P100", "Tesla V100", "Tesla T4"]
    assert judge([]) == []
