"""Errors of the config's parts that come from this machine, and not from the run."""

from __future__ import annotations

import pytest

from trl_doctor.probes.config import _of_this_machine


@pytest.mark.parametrize(
    ("message", "device", "of_machine"),
    [
        ("CUDA is not available", "cpu", True),
        ("needs a GPU", "cpu", True),
        ("no device cuda:0", "cpu", True),
        ("no device cuda:0", "cuda", False),
        ("Unrecognized mode=fastest, one of: default, max-autotune-no-cudagraphs", "cpu", False),
    ],
)
def test_an_error_of_the_machine(message: str, device: str, of_machine: bool) -> None:
    assert _of_this_machine(RuntimeError(message), {"device": device}) is of_machine
