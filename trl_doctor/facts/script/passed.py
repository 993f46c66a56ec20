"""What a script passes to the trainer's class, as far as it is known without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.script.data import loads
from trl_doctor.files.source.joined import TAKES_OFF, creates_adapter
from trl_doctor.files.source.joined import loads_adapter as loads_adapter
from trl_doctor.files.source.objects import Function, Instance
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)

NO_CODE = "the run is no code that makes a trainer"
"""Why a rule about what a script passes does not apply to a run file."""

OF_ALL_SPLITS = ("map", "filter", "shuffle", "sort", "cast", "cast_column", "rename_column",
                 "rename_columns", "remove_columns", "select_columns", "with_format")  # fmt: skip
"""Methods that return data sets of all splits where there are several."""


MAKES_ROWS = ("map", "with_transform", "set_transform", "add_column", "with_format")
"""Methods by which a script may give rows what its trainer reads."""

ADDS = "add_adapter"
MODULES = ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module")


def passed(facts: Facts) -> Passed:
    """The passed values; raises `NotConcerned` if the run is no code with a trainer."""
    values = facts.run.script.passed
    if values is None:
        raise NotConcerned(NO_CODE)
    if facts.run.script.replaced_by:
        raise Unavailable(
            f"{facts.run.script.replaced_by} replaces TRL's classes: theirs are not known"
        )
    return values


def adapted_by(model: Value | None) -> LibraryObject | None:
    """The call that adds an adapter to a model; None if it has none, or no longer has one."""
    for call in chain(model):
        if call.short in TAKES_OFF:
            return None
        if creates_adapter(call) or loads_adapter(call):
            return call
    return None


def covered_adapter(model: Value | None) -> LibraryObject | None:
    """The call that loads an adapter of a model which a new one of the same name replaces."""
    made = adapted_by(model)
    if made is None or not creates_adapter(made) or made.argument("adapter_name", 2) is not None:
        return None
    under = adapted_by(made.argument("model", 0))
    return under if under is not None and loads_adapter(under) else None


def with_own_adapter(model: Value | None) -> LibraryObject | None:
    """The model of transformers to which the script adds an adapter by `add_adapter`; or None."""
    calls = (call for call in chain(model) if call.of.startswith("transformers."))
    return next((call for call in calls if any(deed.name == ADDS for deed in call.deeds)), None)


def adapter_config(values: Passed, name: str) -> LibraryObject | None:
    """The config of a new adapter, if it is of this class: passed, or in `get_peft_model`."""
    call = adapted_by(values.values.get("model"))
    inside = constructed(call.argument("peft_config", 1)) if call else None
    configs = (constructed(values.values.get("peft_config")), inside)
    return next((config for config in configs if config and config.short == name), None)


def switch(call: LibraryObject, name: str, index: int | None = None) -> bool:
    """Whether a call sets an option to true; raises `Unavailable` if this is not known.

    `index` is its place among the values without names.
    """
    option = call.argument(name, index)
    if option is not None and not isinstance(option, Plain):
        raise Unavailable(f"{name} is not known")
    return bool(option and option.value)


def plain_container(value: Value | None) -> str:
    """`dict`, `list` or `DatasetDict` if the value is one of these and no data set; else empty."""
    if isinstance(value, Table):
        return "dict"
    if isinstance(value, LibraryObject):
        return "DatasetDict" if _is_dataset_dict(value) else ""
    return value.kind if isinstance(value, Many) else ""


def _is_dataset_dict(call: LibraryObject) -> bool:
    """Whether a call surely returns a dictionary of data sets: all splits of what it loads."""
    if call.base is None:
        split = call.argument("split", 4)
        whole = split is None or (isinstance(split, Plain) and split.value is None)
        every = call.of == "datasets.load_dataset" and whole and call.rest is None
        return every or call.of == "datasets.DatasetDict"
    if call.of.startswith("datasets.") and call.short == "train_test_split":
        return True
    return call.short in OF_ALL_SPLITS and _is_dataset_dict(call.base)


def constructed(value: Value | None) -> LibraryObject | None:
    """The call of a class that makes a value; None if something else makes it."""
    return value if isinstance(value, LibraryObject) and value.base is None else None


def function(value: Value | None) -> Function | None:
    """A function of the script, with its text."""
    return value if isinstance(value, Function) else None


def plain_text(value: Value | None) -> str:
    """A constant text; raises `Unavailable` for any other value."""
    if isinstance(value, Plain) and isinstance(value.value, str):
        return value.value
    raise Unavailable("it is no text that is written in the script")


def plain_texts(values: Iterable[tuple[Value, bool]]) -> list[str]:
    """The constant texts among the arguments of calls, as `Passed.firsts` gives them."""
    plain = [value.value for value, _ in values if isinstance(value, Plain)]
    return [text for text in plain if isinstance(text, str)]


def plain_module(value: Value | None) -> str:
    """The class of an object that the script derives from `torch.nn.Module`, no model's; else "".

    A class that says `base_model_prefix` acts as a model of transformers.
    """
    cls = value.cls if isinstance(value, Instance) else None
    base = cls.outside() if cls else None
    if cls is None or base is None or base.name not in MODULES:
        return ""
    return "" if "base_model_prefix" in ast.unparse(cls.node) else cls.node.name


def whole_number(value: Value | None) -> int | None:
    """The whole number that a value is; None for anything else."""
    number = value.value if isinstance(value, Plain) else None
    return number if type(number) is int else None


def count(value: Value | None) -> int | None:
    """The number of values in a list, or 1 for a single value; None for no value.

    Raises `Unavailable` for a list that a loop or a condition of the script fills.
    """
    if value is None:
        return None
    if isinstance(value, Many) and value.grows:
        raise Unavailable("how many items the script's list has is not known")
    return len(value.items) if isinstance(value, Many) else 1


def chain(value: Value | None) -> Iterator[LibraryObject]:
    """An object made by a call, and the objects whose methods returned it, outermost first."""
    while isinstance(value, LibraryObject):
        yield value
        value = value.base


def as_loaded(value: Value | None) -> bool:
    """Whether a value is a loaded data set, without a step that could give its rows more."""
    links = list(chain(value))
    if any(link.short in MAKES_ROWS or link.rest is not None for link in links):
        return False
    return bool(links) and loads(links[-1])


def member(value: Value | None) -> str:
    """The last part of a name of a library's: `A` of `trl.Kind.A`; "" for any other value."""
    return value.name.rpartition(".")[2] if isinstance(value, Outside) else ""


def keys_written(value: Value | None) -> frozenset[str]:
    """The keys that a function of the script, or an object of its own class, writes."""
    if isinstance(value, Instance) and value.cls:
        parts = list(ast.walk(value.cls.node))
    elif isinstance(value, Function):
        parts = list(ast.walk(value.node))
    else:
        return frozenset()
    keys = [key for part in parts if isinstance(part, ast.Dict) for key in part.keys]
    stored = (part for part in parts if isinstance(part, ast.Subscript))
    keys += [part.slice for part in stored if isinstance(part.ctx, ast.Store)]
    texts = (key.value for key in keys if isinstance(key, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def loaded_as(model: Value | None, name: str) -> LibraryObject | None:
    """The call `name.from_pretrained(…)` that loads a model; None if there is none."""
    calls = (call for call in chain(model) if call.of.endswith(f"{name}.from_pretrained"))
    return next(calls, None)


def loading_class(value: Value | None) -> str:
    """The class of transformers whose `from_pretrained` makes a value; empty if none does."""
    for link in chain(value):
        home, _, method = link.of.rpartition(".")
        if method == "from_pretrained" and home.startswith("transformers"):
            return home.rpartition(".")[2]
    return ""


def is_tokenizer(value: Value | None) -> bool:
    """Whether a value is a tokenizer: loaded as one, or the part of a processor that is one."""
    if isinstance(value, Unknown) and value.of is not None:
        return value.part == "tokenizer"
    return loading_class(value).endswith(("AutoTokenizer", "TokenizerFast", "Tokenizer"))
