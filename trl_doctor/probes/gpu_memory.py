"""How much of a GPU's memory a probe takes where others work beside it."""

from __future__ import annotations

ALONE = 0.95
"""The share of the memory that is free on a GPU that no other program uses."""

MARGIN = 0.9
"""The share of the free memory that a probe takes at most, so that other programs can go on."""


def share() -> float:
    """The part of the GPU's memory that this process may take, from 0 to 1."""
    import torch

    free, total = torch.cuda.mem_get_info()
    return 1.0 if free >= ALONE * total else MARGIN * free / total


def limit() -> None:
    """Let torch take no more than that; beyond it, it says how much was `allowed`."""
    import torch

    part = share()
    if part < 1:
        torch.cuda.set_per_process_memory_fraction(part)
