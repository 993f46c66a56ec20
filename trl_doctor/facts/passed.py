"""What a script hands to the trainer's class, as far as it can be known without running it."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.handed import Passed
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.values import Made, Many, Plain, Table, Unknown, Value

ADAPTERS = (
    "PeftModel.from_pretrained",
    "PeftModelForCausalLM.from_pretrained",
    "AutoPeftModel.from_pretrained",
    "AutoPeftModelForCausalLM.from_pretrained",
)


def passed(facts: Facts) -> Passed:
    """Raises `NotConcerned` where the run is no code that makes a trainer."""
    found = facts.run.passes
    if found is None:
        raise NotConcerned("the run is no code that makes a trainer")
    if facts.run.replaced_by:
        raise Unavailable(f"{facts.run.replaced_by} replaces TRL's classes: theirs are not known")
    return found


def adapted_by(model: Value | None) -> Made | None:
    """The call that puts an adapter on a model; None where the value is no such model."""
    for made in _chain(model):
        if made.short == "get_peft_model" or made.of.endswith(ADAPTERS):
            return made
    return None


def loads_adapter(made: Made) -> bool:
    """Whether that call loads an adapter, and does not make a new one."""
    return made.of.endswith(ADAPTERS)


def switch(made: Made, name: str) -> bool:
    """Whether a call switches something on; raises `Unavailable` where that is not known."""
    said = made.argument(name)
    if said is not None and not isinstance(said, Plain):
        raise Unavailable(f"{name} is not known")
    return bool(said and said.value)


def plain_container(value: Value | None) -> str:
    """`dict`, `list` or `DatasetDict` where a value is one, and no data set; else empty.

    Files that are loaded without `split` are a `DatasetDict`; what a name on the Hub gives is not
    known to be one.
    """
    if isinstance(value, Table):
        return "dict"
    if isinstance(value, Made) and value.of == "datasets.load_dataset":
        files = "data_files" in value.given or "data_dir" in value.given
        return "DatasetDict" if files and value.argument("split") is None else ""
    return value.kind if isinstance(value, Many) else ""


def function(value: Value | None) -> Function | None:
    """A function of the script, with its text."""
    return value if isinstance(value, Function) else None


def count(value: Value | None) -> int | None:
    """How many things are handed over in a list, or 1; None where there is nothing."""
    if value is None:
        return None
    return len(value.items) if isinstance(value, Many) else 1


def _chain(value: Value | None) -> Iterator[Made]:
    """A made object and those that it is a method's result of, outermost first."""
    while isinstance(value, Made):
        yield value
        value = value.base


def loaded_as(model: Value | None, name: str) -> Made | None:
    """The call `name.from_pretrained(…)` that loads a model; None where that is not how."""
    calls = (one for one in _chain(model) if one.of.endswith(f"{name}.from_pretrained"))
    return next(calls, None)


def loading_class(value: Value | None) -> str:
    """The class of transformers whose `from_pretrained` makes a value; empty where none does."""
    for one in _chain(value):
        home, _, method = one.of.rpartition(".")
        if method == "from_pretrained" and home.startswith("transformers"):
            return home.rpartition(".")[2]
    return ""


def is_tokenizer(value: Value | None) -> bool:
    """Whether a value is a tokenizer: loaded as one, or the part of a processor that is one."""
    if isinstance(value, Unknown) and value.of is not None:
        return value.part == "tokenizer"
    return loading_class(value).endswith(("AutoTokenizer", "TokenizerFast", "Tokenizer"))
