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
    length = {"steps": 0, "epochs": 1.0, "usual": True, "trained": {"head"}}
    trainings.all = [  # type: ignore[assignment]
        SimpleNamespace(
            trainer=old, kind="SFTTrainer", first="row", folder="out", done=True, **length
        ),
        SimpleNamespace(trainer=new, kind=kind, first=first, folder="out", done=False, **length),
    ]
    mistakes = list(trainings.trains(new, resumes=True, checkpoint=checkpoint))
    assert bool(mistakes) is reported


@pytest.mark.parametrize(
    ("before", "now", "epochs", "checkpoint", "what"),
    [
        (8, 16, 1.0, True, []),
        (8, 8, 1.0, True, ["resumes at its end"]),
        (8, 4, 1.0, "out/checkpoint-8", ["resumes at its end"]),
        (8, 8, 1.0, None, ["same folder"]),
        (8, 8, 1.0, False, []),
        (8, 0, 9.0, True, ["same folder"]),
        (0, 0, 3.0, True, []),
        (0, 0, 1.0, True, ["same folder"]),
    ],
)
def test_a_longer_training_goes_on_and_one_of_no_more_steps_has_none(
    before: int, now: int, epochs: float, checkpoint: str | bool | None, what: list[str]
) -> None:
    old, new = object(), object()
    trainings = Trainings()
    about = {"kind": "SFTTrainer", "folder": "out", "usual": True, "trained": {"head"}}
    first = "row" if before == now == 0 else "another row"
    trainings.all = [  # type: ignore[assignment]
        SimpleNamespace(trainer=old, first="row", done=True, steps=before, epochs=1.0, **about),
        SimpleNamespace(trainer=new, first=first, done=False, steps=now, epochs=epochs, **about),
    ]
    mistakes = trainings.trains(new, resumes=True, checkpoint=checkpoint)
    assert [mistake.what for mistake in mistakes] == what


MORE, OTHER = "resumes with more weights", "resumes with other weights"


@pytest.mark.parametrize(
    ("trained", "checkpoint", "usual", "what"),
    [
        ({"head", "body"}, "out/checkpoint-8", True, [MORE]),
        ({"head", "body"}, True, True, [MORE]),
        ({"body"}, "out/checkpoint-8", True, [OTHER]),
        ({"head"}, "out/checkpoint-8", True, []),
        ({"head", "body"}, "elsewhere/checkpoint-8", True, []),
        ({"head", "body"}, None, True, []),
        ({"head", "body"}, "out/checkpoint-8", False, []),
    ],
)
def test_the_optimizer_of_a_checkpoint_has_the_weights_that_were_trained(
    trained: set[str], checkpoint: str | bool | None, usual: bool, what: list[str]
) -> None:
    old, new = object(), object()
    trainings = Trainings()
    about = {"kind": "SFTTrainer", "folder": "out", "first": "row", "epochs": 1.0}
    trainings.all = [  # type: ignore[assignment]
        SimpleNamespace(trainer=old, done=True, steps=8, trained={"head"}, usual=usual, **about),
        SimpleNamespace(trainer=new, done=False, steps=16, trained=trained, usual=True, **about),
    ]
    mistakes = trainings.trains(new, resumes=True, checkpoint=checkpoint)
    assert [mistake.what for mistake in mistakes] == what
