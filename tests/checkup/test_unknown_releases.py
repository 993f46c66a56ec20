"""What is said of releases that nobody has seen."""

from __future__ import annotations

import pytest

from trl_doctor.checkup.unknown_releases import unknown_releases
from trl_doctor.facts.library import releases
from trl_doctor.machine.environment import environment

TRL, TRANSFORMERS = releases.line("trl").versions, releases.line("transformers").versions


@pytest.mark.parametrize(
    "stated, says",
    [
        ("trl==99.9", f"{TRL[0]} to {TRL[-1]}; it is examined like {TRL[-1]}"),
        ("trl==0.15.7", "trl 0.15.7 is not a known release; "),
        ("trl==0.15.7", "it is examined like 0.15.2"),
        ("trl==0.1", f"trl 0.1 is not a known release; known are {TRL[0]} to {TRL[-1]}"),
        ("transformers==99.0", f"it is examined like {TRANSFORMERS[-1]}"),
    ],
)
def test_a_release_that_is_not_known_is_told(stated: str, says: str) -> None:
    (sentence,) = unknown_releases(environment(None, [stated], installed=False))
    assert says in sentence


@pytest.mark.parametrize("stated", [f"trl=={TRL[-1]}", "transformers==4.57.2", "torch==99.0"])
def test_a_known_release_is_not(stated: str) -> None:
    assert not [*unknown_releases(environment(None, [stated], installed=False))]
