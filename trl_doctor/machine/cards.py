"""GPUs by name: the memory that torch sees, and peak rates of dense arithmetic and of memory."""

from __future__ import annotations

import re

from msgspec import Struct

from trl_doctor.core.similar import similar
from trl_doctor.core.sizes import GIB
from trl_doctor.core.unavailable import Unavailable

FORM = r"nvidia|tesla|geforce|quadro|sxm\d?|hbm\d?e?|mega|generation|shared"
"""Words in the names of drivers and clusters that do not change memory or rates."""

SLICE = r"(?i)\d+g\.\d+gb|\bmig\b"


class Card(Struct, frozen=True):
    """A GPU: `memory` in bytes, as its driver reports it; peak floating-point operations a second
    in bfloat16 (float16 if it has none) and in float32 as torch computes by default; bytes of
    memory a second. A rate that is not known is 0.
    """

    name: str
    memory: int
    half: float = 0.0
    single: float = 0.0
    bandwidth: float = 0.0
    bf16: bool = True


class Stated(Struct, frozen=True):
    """The hardware that the user states; None or 0 for unstated values.

    `stated_in` is where it is stated if that is not the command line.
    """

    card: Card
    gpus: int = 1
    nodes: int = 1
    zero: int | None = None
    fsdp: bool = False
    tensor_parallel: int = 0
    stated_in: str = ""


def _card(name: str, gib: float, half: float, single: float, bandwidth: float) -> Card:
    """Rates in 10^12 operations and 10^9 bytes a second."""
    return Card(name, int(gib * GIB), half * 1e12, single * 1e12, bandwidth * 1e9)


def _without_bf16(name: str, gib: float, half: float, single: float, bandwidth: float) -> Card:
    return Card(name, int(gib * GIB), half * 1e12, single * 1e12, bandwidth * 1e9, bf16=False)


CARDS = (
    _card("B200-180GB", 178.3, 2250, 75, 8000),
    _card("GH200-96GB", 95.0, 989, 67, 4000),
    _card("H200-141GB", 139.8, 989, 67, 4800),
    _card("H100-80GB", 79.1, 989, 67, 3350),
    _card("H100-PCIe-80GB", 79.1, 756, 51, 2000),
    _card("H100-NVL-94GB", 93.0, 835, 60, 3900),
    _card("H20-96GB", 95.0, 148, 44, 4000),
    _card("H800-80GB", 79.1, 989, 67, 3350),
    _card("A100-80GB", 79.1, 312, 19.5, 2000),
    _card("A100-40GB", 39.4, 312, 19.5, 1555),
    _card("A800-80GB", 79.1, 312, 19.5, 2000),
    _card("L40S-48GB", 44.4, 362, 91, 864),
    _card("L40-48GB", 44.4, 181, 90, 864),
    _card("L4-24GB", 22.0, 121, 30, 300),
    _card("A40-48GB", 44.4, 150, 37, 696),
    _card("A30-24GB", 23.5, 165, 10, 933),
    _card("A10-24GB", 22.0, 125, 31, 600),
    _card("A10G-24GB", 22.0, 70, 35, 600),
    _card("RTX-A6000-48GB", 47.4, 155, 39, 768),
    _card("RTX-6000-Ada-48GB", 47.4, 364, 91, 960),
    _card("RTX-PRO-6000-96GB", 94.9, 500, 125, 1792),
    _card("RTX-5090-32GB", 31.3, 210, 105, 1792),
    _card("RTX-4090-24GB", 23.5, 165, 83, 1008),
    _card("RTX-3090-24GB", 23.5, 71, 36, 936),
    _without_bf16("V100-32GB", 31.7, 125, 15.7, 900),
    _without_bf16("V100-16GB", 15.8, 125, 15.7, 900),
    _without_bf16("T4-16GB", 14.6, 65, 8.1, 300),
)
"""Peak rates are the vendors' for dense arithmetic; memory is what is left of the printed size
after what driver and error correction take."""


def card(name: str) -> Card:
    """The card of a name: `H100-80GB`, `h100`, `RTX 4090`, also as drivers and clusters write it
    (`NVIDIA-H100-80GB-HBM3`, `nvidia-tesla-t4`).

    A name without a size is the largest card of that name. Raises `Unavailable`.
    """
    if re.search(SLICE, name):
        raise Unavailable(f"{name!r} is a part of a GPU: use --gpu-memory with its size")
    for spelt in (_plain(name), _plain(re.sub(r"(?i)pcie", "", name))):
        entries = [entry for entry in CARDS if spelt in _spellings(entry)]
        if entries:
            return max(entries, key=lambda entry: entry.memory)
    names = {_plain(entry.name): entry.name for entry in CARDS}
    near = [names[name_] for name_ in similar(_plain(name), names, 3, 0.5)]
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise Unavailable(f"no GPU {name!r} is known: use --gpu-memory 24GiB instead{hint}")


def _spellings(entry: Card) -> set[str]:
    """A card's name with its size and without, and without the name of its series."""
    both = {_plain(entry.name), _plain(re.sub(r"-\d+GB$", "", entry.name))}
    return both | {name.removeprefix("rtx") for name in both}


def _plain(name: str) -> str:
    words = re.findall(r"[a-z0-9]+", name.lower())
    plain = "".join(word for word in words if not re.fullmatch(FORM, word)).removeprefix("nvidia")
    return plain.removesuffix("b") if plain.endswith("gb") else plain


def several(text: str) -> tuple[int, str]:
    """The number and the name in `8xH100-80GB`; the number is 1 if it is not stated."""
    match_ = re.fullmatch(r"\s*(\d+)\s*[x×*]\s*(.+)", text)
    return (int(match_[1]), match_[2].strip()) if match_ else (1, text.strip())
