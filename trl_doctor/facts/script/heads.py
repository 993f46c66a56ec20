"""The head of a reward model, and the adapter that trains the model."""

from __future__ import annotations

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.passed import adapted_by, loads_adapter, passed
from trl_doctor.files.source.values import LibraryObject, Many, Plain, Value

HEADS = ("score", "classifier", "v_head", "reward_head")
"""Names of the layers that give a score."""

TASK, SAVED = "task_type", "modules_to_save"


def head_left_out(facts: Facts) -> tuple[Place, str] | None:
    """Where an adapter is passed that leaves the head out, and the class of its config.

    Raises `NotConcerned` if the script passes none, and `Unavailable` if its config is not known.
    """
    values = passed(facts)
    adapted = adapted_by(values.values.get("model"))
    name, config = "peft_config", values.given("peft_config")
    if adapted is not None and not loads_adapter(adapted):
        name, config = "model", adapted.argument("peft_config", 1)
    if config is None:
        raise NotConcerned("the run trains no adapter")
    if (
        not isinstance(config, LibraryObject)
        or config.rest is not None
        or "Config" not in config.short
    ):
        raise Unavailable("the adapter's config is not known")
    if not _none(config.argument(TASK)) or _saves_head(config.argument(SAVED)):
        return None
    return values.places[name], config.short


def _none(value: Value | None) -> bool:
    return value is None or (isinstance(value, Plain) and value.value is None)


def _saves_head(value: Value | None) -> bool:
    """Whether the head is saved, or may be."""
    if _none(value):
        return False
    if not isinstance(value, Many):
        return True
    names = [item.value if isinstance(item, Plain) else None for item in value.items]
    return None in names or any(name in HEADS for name in names)
