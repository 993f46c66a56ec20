"""Arguments that are not known, and whether a probe needs them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.given import known_arguments
from trl_doctor.facts.partly import Partly


def facts(key: str, device: str, level: str) -> Facts:
    arguments = Partly[Any]({"beta": 0.1}, {key: Unavailable(f"{key} is not known")})
    conditions = SimpleNamespace(device=device, level=level)
    probes = SimpleNamespace(conditions=conditions)
    return cast("Facts", SimpleNamespace(run=SimpleNamespace(arguments=arguments), probes=probes))


@pytest.mark.parametrize(
    ("key", "device", "level", "needed"),
    [
        ("bf16", "cpu", "tiny", False),
        ("fp16", "cpu", "tiny", False),
        ("bf16", "cuda", "tiny", True),
        ("max_steps", "cuda", "tiny", False),
        ("max_steps", "cuda", "full", True),
        ("beta2", "cpu", "tiny", True),
    ],
)
def test_a_step_needs_the_arguments_that_it_does_not_set_itself(
    key: str, device: str, level: str, needed: bool
) -> None:
    if needed:
        with pytest.raises(Unavailable, match=f"{key} is not known"):
            known_arguments(facts(key, device, level))
    else:
        assert known_arguments(facts(key, device, level)) == {"beta": 0.1}
