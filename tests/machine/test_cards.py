"""GPUs by name, and what the command line states about them."""

from __future__ import annotations

import click
import pytest
from msgspec.structs import asdict

from trl_doctor.checkup.request import request_of
from trl_doctor.checkup.stated_gpus import GpuOptions, gpu_options, stated_gpus
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.cards import CARDS, Stated, card, several

GIB = 1024**3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("H100-80GB", "H100-80GB"), ("h100", "H100-80GB"), ("A100", "A100-80GB"),
        ("a100-40gb", "A100-40GB"), ("NVIDIA H200", "H200-141GB"), ("RTX 4090", "RTX-4090-24GB"),
        ("4090", "RTX-4090-24GB"), ("L4", "L4-24GB"), ("a10g", "A10G-24GB"),
        ("V100-16GB", "V100-16GB"), ("NVIDIA-H100-80GB-HBM3", "H100-80GB"),
        ("NVIDIA-A100-SXM4-40GB", "A100-40GB"), ("NVIDIA-A100-PCIE-40GB", "A100-40GB"),
        ("NVIDIA-H100-PCIe", "H100-PCIe-80GB"), ("Tesla-T4", "T4-16GB"),
        ("nvidia-tesla-v100", "V100-32GB"), ("nvidia-h100-mega-80gb", "H100-80GB"),
        ("nvidia_h100_80gb_hbm3", "H100-80GB"), ("NVIDIA-GeForce-RTX-4090", "RTX-4090-24GB"),
        ("NVIDIA-RTX-6000-Ada-Generation", "RTX-6000-Ada-48GB"), ("a100_80gb", "A100-80GB"),
    ],
)  # fmt: skip
def test_cards_are_found_by_what_people_call_them(text: str, name: str) -> None:
    assert card(text).name == name


@pytest.mark.parametrize("expected", CARDS, ids=lambda entry: entry.name)
def test_every_card_is_found_by_its_own_name(expected: object) -> None:
    assert card(getattr(expected, "name")) == expected  # noqa: B009


def test_an_unknown_card_is_refused_with_similar_names() -> None:
    with pytest.raises(Unavailable, match=r"use --gpu-memory 24GiB instead; near it: .*H100"):
        card("H101")


@pytest.mark.parametrize("text", ["a100_3g.20gb", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"])
def test_a_part_of_a_gpu_is_not_the_whole(text: str) -> None:
    with pytest.raises(Unavailable, match="is a part of a GPU"):
        card(text)


def test_another_size_is_another_card() -> None:
    with pytest.raises(Unavailable, match="no GPU 'A100-SXM-64GB' is known"):
        card("A100-SXM-64GB")


@pytest.mark.parametrize(
    ("text", "count", "name"), [("8xH100", 8, "H100"), ("2 × L4", 2, "L4"), ("L4", 1, "L4")]
)
def test_several_are_counted(text: str, count: int, name: str) -> None:
    assert several(text) == (count, name)


def test_memory_can_be_stated_with_or_without_a_name() -> None:
    alone = stated_gpus(GpuOptions(gpu_memory="24GiB"))
    assert isinstance(alone, Stated) and alone.card.memory == 24 * GIB
    four = stated_gpus(GpuOptions("4", "24GiB", 2, 3))
    assert isinstance(four, Stated) and (four.gpus, four.nodes, four.zero) == (4, 2, 3)
    new = stated_gpus(GpuOptions("8xX1000", "512GiB"))
    assert isinstance(new, Stated) and (new.card.name, new.card.memory) == ("X1000", 512 * GIB)


def test_an_empty_statement_is_no_gpu() -> None:
    assert stated_gpus(GpuOptions()) is None
    alone = stated_gpus(GpuOptions(nodes=2))
    assert isinstance(alone, Unavailable) and "need --gpu" in str(alone)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (GpuOptions("H100", zero=3, fsdp=True), "--zero and --fsdp"),
        (GpuOptions("X1000"), "--gpu-memory"),
        (GpuOptions(gpu_memory="much"), "is no size"),
        (GpuOptions("0xH100"), "there is no GPU"),
    ],
)
def test_what_means_nothing_is_refused(options: GpuOptions, says: str) -> None:
    with pytest.raises(click.UsageError, match=says):
        gpu_options(request_of(asdict(options)))
