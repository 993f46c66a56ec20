"""What is wrong with the folder of a saved checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.documents import Folder, Unreadable, read
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.model.checkpoint import Weights, adapter_weights, weights

STATE = "trainer_state.json"


def wrong_in_checkpoint(facts: Facts, folder: Folder) -> Iterator[tuple[str, bool]]:
    """What is wrong with a checkpoint, and whether the run fails because of it."""
    name = folder.path.name
    try:
        saved = _weights(facts.at(folder))
    except Unavailable as reason:
        yield f"{name} is not a checkpoint: {reason}", True
        return
    harmed = [*saved.missing, *(file.path.name for file in saved.damaged)]
    if harmed:
        yield f"{name} is incomplete: {harmed[0]} is missing or damaged", True
    elif differs := _differs(facts, saved):
        yield f"{name} belongs to another model: {differs}", True
    if not folder.has(STATE):
        yield f"{name} is incomplete: there is no {STATE}", True
        return
    steps, most = _steps_done(folder), facts.run.number("max_steps")
    if steps is not None and most and 0 < most <= steps:
        yield f"{name} has done {steps} steps and max_steps is {most:g}: nothing is trained", False
    if not any(file.startswith(("optimizer", "global_step")) for file in folder.names()):
        yield f"{name} holds no optimizer state: the optimizer starts from zero", False


def _weights(facts: Facts) -> Weights:
    return facts.get(adapter_weights) or facts[weights]


def _differs(facts: Facts, saved: Weights) -> str:
    """The first tensor whose shape is another than in the policy model; "" if none is."""
    policy = facts.at(facts.run.policy).get(weights)
    for name, tensor in saved.tensors.items():
        expected = policy.tensors.get(name) if policy else None
        if expected and expected.shape != tensor.shape:
            return f"{name} is {list(tensor.shape)}, not {list(expected.shape)}"
    return ""


def _steps_done(folder: Folder) -> int | None:
    try:
        step = read(folder.file(STATE)).get("global_step")
    except Unreadable:
        return None
    return step if isinstance(step, int) else None
