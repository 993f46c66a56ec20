"""The adapter and the quantisation of a script's model, in the words of a run file."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.facts.script.models import Loaded
from trl_doctor.facts.script.trainers import Use
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    NamedValue,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)

NAMES = {
    "r": "lora_r", "lora_alpha": "lora_alpha", "lora_dropout": "lora_dropout",
    "target_modules": "lora_target_modules", "modules_to_save": "lora_modules_to_save",
    "target_parameters": "lora_target_parameters", "task_type": "lora_task_type",
    "use_rslora": "use_rslora", "use_dora": "use_dora",
    "trainable_token_indices": "trainable_token_indices",
}  # fmt: skip
"""Arguments of `LoraConfig`, and what a run file calls them."""

SCRIPT_KEYS = frozenset({"use_peft", *NAMES.values()})
BITS = ("load_in_4bit", "load_in_8bit")


def adapter(state: State, use: Use, policy: Loaded) -> Iterator[tuple[str, NamedValue]]:
    """The keys of a run file that describe the trained adapter."""
    argument = use.given("peft_config")
    if argument is not None and not _is_none(argument.value):
        yield from _of_config(state, argument)
        return
    if policy.doubt is not None:
        yield "use_peft", NamedValue(policy.doubt, None, policy.doubt.span)
        return
    for made in policy.adapters:
        yield "use_peft", _true(made)
        if made.short == "from_pretrained":
            why = Unknown(f"{made.of.rpartition('peft.')[2]} loads it", made.span)
            yield from ((key, NamedValue(why, None, made.span)) for key in NAMES.values())
            return
        value = made.argument("peft_config", 1)
        if isinstance(value, LibraryObject):
            yield from _lora(value)
        elif value is None or isinstance(value, Plain):
            yield from _lora(made)
        else:
            yield "lora_target_modules", NamedValue(value, None, made.span)
        return
    yield from _unused(state)


def _of_config(state: State, argument: NamedValue) -> Iterator[tuple[str, NamedValue]]:
    value = argument.value
    if isinstance(value, LibraryObject) and value.short == "get_peft_config":
        yield from _of_arguments(value)
    elif isinstance(value, LibraryObject) and value.short.endswith("Config"):
        yield "use_peft", NamedValue(Plain(True), argument.name, argument.whole or value.span)
        yield from _lora(value)
    elif isinstance(value, Unknown):
        yield "use_peft", argument
    else:
        yield "use_peft", NamedValue(Plain(True), argument.name, argument.whole)
        why = Unknown("the adapter's config is created outside the script", _span(value))
        yield "lora_target_modules", NamedValue(why, None, argument.whole)


def _of_arguments(call: LibraryObject) -> Iterator[tuple[str, NamedValue]]:
    """`get_peft_config(model_args)`: the adapter that TRL's own arguments ask for."""
    config = call.arguments[0] if call.arguments else None
    if not isinstance(config, LibraryObject) or config.rest is not None:
        yield (
            "use_peft",
            NamedValue(Unknown("the model's arguments are not known", call.span), None, call.span),
        )
        return
    arguments = {**config.keywords, **config.attributes}
    for key in ("use_peft", *NAMES.values()):
        if key in arguments:
            yield key, arguments[key]


def _lora(made: LibraryObject) -> Iterator[tuple[str, NamedValue]]:
    if made.rest is not None:
        yield "lora_target_modules", NamedValue(made.rest, None, made.span)
    for name, key in NAMES.items():
        if name in made.keywords:
            yield key, made.keywords[name]


def _unused(state: State) -> Iterator[tuple[str, NamedValue]]:
    """A `LoraConfig` that nothing in the script is given."""
    configs = [made for made in state.made if made.short == "LoraConfig"]
    handed = [
        value
        for made in state.made
        for value in (*made.arguments, *(argument.value for argument in made.keywords.values()))
    ]
    arguments = [value for made in state.made for deed in made.deeds for value in deed.arguments]
    for config in configs:
        used = any(value is config for value in (*handed, *arguments))
        if not used and not config.deeds and len(configs) == 1 and not _stored(state, config):
            r = config.keywords.get("r")
            yield "lora_r", r or NamedValue(Plain(8), None, config.span)


def _stored(state: State, config: LibraryObject) -> bool:
    """Whether the config may be passed on in a way that was not followed.

    By `**`, as a return value, or to another trainer if a condition holds.
    """
    given = (made.keywords.get("peft_config") for made in state.made)
    perhaps = any(argument and isinstance(argument.value, Unknown) for argument in given)
    return perhaps or any(made.rest is not None for made in state.made)


def quantised(policy: Loaded) -> Iterator[tuple[str, NamedValue]]:
    """How the policy's weights are quantised, if that is known."""
    for key in BITS:
        if key in policy.options:
            yield key, policy.options[key]
    config = policy.options.get("quantization_config")
    if config is not None and isinstance(config.value, LibraryObject):
        for key in BITS:
            if key in config.value.keywords:
                yield key, config.value.keywords[key]
    elif config is not None and isinstance(config.value, Unknown):
        for key in BITS:
            yield key, config
    elif isinstance(getattr(config, "value", None), Table):
        pass
    unsloth = policy.loader is not None and "FastLanguageModel" in policy.loader.of
    if unsloth and policy.loader and not any(key in policy.options for key in BITS):
        why = Unknown("Unsloth decides whether the weights are quantised", policy.loader.span)
        yield "load_in_4bit", NamedValue(why, None, policy.loader.span)


def _is_none(value: Value) -> bool:
    return isinstance(value, Plain) and value.value is None


def _true(made: LibraryObject) -> NamedValue:
    return NamedValue(Plain(True), None, made.span)


def _span(value: Value) -> Span | None:
    return getattr(value, "span", None)
