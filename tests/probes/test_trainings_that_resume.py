"""A training in the folder of an earlier one: which of them may go on from its checkpoint."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trl_doctor.probes.rehearsal.trainers.earlier import Trainings


@pytest.mark.parametrize(
    ("kind", "first", "checkpoint", "reported"),
    [
        ("SFTTrainer", "row", "out/checkpoint-8", False),
        ("SFTTrainer", "row", True, True),
        ("SFTTrainer", "another row", "out/checkpoint-8", True),
        ("DPOTrainer", "row", "out/checkpoint-8", True),
    ],
)
def test_the_same_training_may_go_on_from_a_named_checkpoint(
    kind: str, first: str, checkpoint: str | bool, reported: bool
) -> None:
    old, new = object(), object()
    trainings = Trainings()
    trainings.all = [  # type: ignore[assignment]
        SimpleNamespace(trainer=old, kind="SFTTrainer", first="row", folder="out", done=True),
        SimpleNamespace(trainer=new, kind=kind, first=first, folder="out", done=False),
    ]
    slips = list(trainings.trains(new, resumes=True, checkpoint=checkpoint))
    assert bool(slips) is reported
