"""The models that a script gives to a trainer, by their roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Role
from trl_doctor.facts.script import changes, model_changes
from trl_doctor.facts.script.models import Loaded, loaded
from trl_doctor.facts.script.trainers import Use
from trl_doctor.facts.script.values import unavailable
from trl_doctor.files.changes import Change
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Many, Plain, Span, Value

ROLES: Mapping[Role, tuple[str, ...]] = {
    "reference": ("ref_model",),
    "reward": ("reward_model",),
    "value": ("value_model",),
    "teacher": ("teacher_model",),
}


class RoleModel(Struct, frozen=True):
    """A model of the run: its name, or why that is not known, and what is done to it in memory."""

    name: str | Unavailable
    place: Place
    changes: tuple[Change, ...] = ()
    revision: str | None = None


def models_of(
    reading: Reading, use: Use, policy: Loaded, places: Places
) -> Iterator[tuple[Role, RoleModel]]:
    """The models of the run, with what the script does to them."""
    state = reading.state
    argument = use.given("model", "policy")
    at = argument.whole if argument and argument.whole else use.made.span
    altered = model_changes.of_model(state, policy, places)
    yield "policy", _named(state, "the model", policy, places, "/model", at, altered)
    tokenizer = use.given("processing_class", "tokenizer")
    if tokenizer is not None and not is_none(tokenizer.value):
        model = loaded(state, tokenizer.value)
        altered = changes.of_tokenizer(state, model, places)
        at = tokenizer.whole or use.made.span
        yield "tokenizer", _named(state, "the tokenizer", model, places, "/tokenizer", at, altered)
    yield from _beside_the_policy(state, use, places)
    if use.trainer and use.trainer.name in ("grpo", "rloo"):
        yield from _reward_model(state, use, places)


def _beside_the_policy(state: State, use: Use, places: Places) -> Iterator[tuple[Role, RoleModel]]:
    """The reference, reward, value and teacher models that the trainer is given."""
    for role, names in ROLES.items():
        other = use.given(*names)
        if other is None or (other.value is use.made.rest and use.made.rest is not None):
            continue
        span = other.whole or use.made.span
        if is_none(other.value):
            why = Unavailable(f"{names[0]} is None")
            if use.trainer and use.trainer.name == "ppo" and role != "reference":
                yield role, RoleModel(why, places.place(f"/{names[0]}", span))
            continue
        model = loaded(state, other.value)
        yield role, _named(state, f"the {role} model", model, places, f"/{names[0]}", span, ())


def _reward_model(state: State, use: Use, places: Places) -> Iterator[tuple[Role, RoleModel]]:
    """The first of the reward functions that is a model with a name."""
    span = use.made.span
    for reward in rewards_of(use):
        model = loaded(state, reward)
        if model.name is not None:
            reward_model = _named(
                state, "the reward model", model, places, "/reward_funcs", span, ()
            )
            yield "reward", reward_model
            break


def _named(
    state: State,
    noun: str,
    model: Loaded,
    places: Places,
    pointer: str,
    span: Span,
    altered: tuple[Change, ...],
) -> RoleModel:
    if model.name is None:
        return RoleModel(unavailable(state, noun, model.why), places.place(pointer, span), altered)
    at = model.loader.span if model.loader else model.name.span or span
    revision = model.options.get("revision")
    said_revision = revision.value.value if revision and isinstance(revision.value, Plain) else None
    if "subfolder" in model.options:
        why = Unavailable(f"{noun} is in a subfolder of {model.name.value!r}")
        return RoleModel(why, places.place(pointer, at), altered)
    return RoleModel(
        str(model.name.value),
        places.place(pointer, at),
        altered,
        said_revision if isinstance(said_revision, str) else None,
    )


def rewards_of(use: Use) -> Iterator[Value]:
    """The items of the list of reward functions."""
    value = use.value("reward_funcs")
    if isinstance(value, Many):
        yield from value.items
    elif value is not None:
        yield value


def is_none(value: Value) -> bool:
    """Whether it is None."""
    return isinstance(value, Plain) and value.value is None
