"""What no trace and no arithmetic shows: bytes that others have seen on GPUs, each as a range."""

from __future__ import annotations

from msgspec import Struct

from trl_doctor.core.sizes import GIB


class Guess(Struct, frozen=True):
    """The usual value with the least and the most that were seen."""

    usual: float
    least: float
    most: float


CONTEXT = Guess(0.6 * GIB, 0.3 * GIB, 1.0 * GIB)
"""A CUDA context with its libraries: 0.3 GiB since CUDA 11.7, which loads kernels when they are
used, and 1 GiB before (pytorch/pytorch issues 107667 and 28394)."""

COMMUNICATION = Guess(0.7 * GIB, 0.5 * GIB, 1.6 * GIB)
"""NCCL's buffers: 544 MiB between two A100, 688 MiB between four, 1.06 GB on eight H100, once
1.6 GB (NVIDIA/nccl issues 964, 1685 and 864)."""

FRAGMENTED = Guess(0.04, 0.0, 0.1)
"""The share of torch's memory that its allocator cannot use between tensors; nothing was read for
it."""

ASLEEP = Guess(1.0 * GIB, 0.5 * GIB, 2.5 * GIB)
"""A sleeping engine: 774 MiB on one GPU, 2.4 GiB with two to an engine, and once more than 7
(NVIDIA-NeMo/RL issue 223)."""

WORKING = Guess(2.0 * GIB, 0.4 * GIB, 4.0 * GIB)
"""What a working engine needs beside weights and cache, within its share: 0.4 GiB were seen with a
72B model on eight GPUs (vllm-project/vllm issue 17117)."""


def worded(name: str, guess: Guess) -> str:
    """A guess with its range, for a list."""
    values = [guess.usual, guess.least, guess.most]
    if guess.most <= 1:
        usual, least, most = (f"{100 * value:.0f}" for value in values)
        return f"{name} {usual}% ({least}% to {most}%)"
    usual, least, most = (f"{value / GIB:.1f}" for value in values)
    return f"{name} {usual} GiB ({least} to {most})"
