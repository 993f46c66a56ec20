"""A model or tokenizer that is the same one whichever way a condition of the script goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trl_doctor.files.source.objects import same
from trl_doctor.files.source.values import LibraryObject, Span, Unknown, Value

THROUGH = frozenset(
    {"prepare_model_for_kbit_training", "compile", "create_reference_model", "deepcopy",
     "for_training", "patch_model", "prepare_model_for_int8_training"}
)  # fmt: skip
"""What returns the model or tokenizer that it is given first, as far as a run is concerned."""

BOTH = {"[0]": ("model",), "[1]": ("tokenizer", "processing_class")}
"""What TRL's functions for formats return: the model and the tokenizer that they are given."""

FORMATS = frozenset({"setup_chat_format", "clone_chat_template"})
ADAPTERS = frozenset({"get_peft_model"})
TAKES_OFF = ("merge_and_unload", "unload", "get_base_model")
"""Methods that return the model without its adapter."""

GIVEN = "give it after --"
"""What is said of a value that only the command line has."""

ADAPTED = "with an adapter"
"""The part of an `Unknown` that is a model which may have an adapter."""


def inside(value: LibraryObject) -> Value | None:
    """The model or tokenizer that a call is given and returns; None if it makes one itself."""
    short = value.short.partition("[")[0]
    part = value.short.removeprefix(short)
    if short in FORMATS and part in BOTH and value.base is not None:
        arguments = (value.base.keywords.get(name) for name in BOTH[part])
        stated = next((argument.value for argument in arguments if argument), None)
        return stated or value.base.argument("", int(part[1]))
    if short in THROUGH or adds(value):
        return value.argument("model", 0)
    return value.base if short in TAKES_OFF else None


def creates_adapter(value: LibraryObject) -> bool:
    """Whether a call puts a new adapter on a model."""
    return value.short in ADAPTERS


def loads_adapter(value: LibraryObject) -> bool:
    """Whether a call loads an adapter, alone or onto a model, and does not create a new one."""
    return "Peft" in value.of and value.short == "from_pretrained"


def adds(value: LibraryObject) -> bool:
    """Whether a call puts an adapter on a model that it is given."""
    given = isinstance(value.argument("model", 0), LibraryObject)
    return creates_adapter(value) or (loads_adapter(value) and given)


def joined(values: Sequence[Value | None], why: str, span: Span) -> Value | None:
    """What is known of a value that is one of these; None if nothing is.

    The model that all of them are, wrapped or not. One that has an adapter in some of the cases
    only, or another one, is an `Unknown` about that model. What the command line has stays that.
    """
    for value in values:
        if isinstance(value, Unknown) and GIVEN in value.why:
            return value
    for start in _layers(values[0]):
        if all(any(made is start for made in _layers(value)) for value in values):
            layers = [made for value in values for made in _until(value, start)]
            if any(adds(made) or made.short in TAKES_OFF for made in layers):
                return Unknown(why, span, start, ADAPTED)
            return start
    return None


def again(first: Value | None, other: Value | None) -> bool:
    """Whether two models or tokenizers are loaded by one name, perhaps with other options."""
    if not isinstance(first, LibraryObject) or not isinstance(other, LibraryObject):
        return False
    if not first.arguments or not other.arguments:
        return False
    name, second = first.arguments[0], other.arguments[0]
    unknown = isinstance(name, Unknown) and isinstance(second, Unknown) and name.why == second.why
    loads = first.of == other.of and first.short == "from_pretrained"
    return loads and (unknown or same(name, second))


def _layers(value: Value | None) -> Iterator[LibraryObject]:
    for _ in range(20):
        if not isinstance(value, LibraryObject):
            return
        yield value
        value = inside(value)


def _until(value: Value | None, start: LibraryObject) -> Iterator[LibraryObject]:
    for made in _layers(value):
        if made is start:
            return
        yield made
