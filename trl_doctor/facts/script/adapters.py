"""The adapter and the quantisation of a script's model, in the words of a run file."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.facts.script.models import Loaded
from trl_doctor.facts.script.trainers import Use
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Given, Made, Plain, Span, Table, Unknown, Value

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


def adapter(state: State, use: Use, policy: Loaded) -> Iterator[tuple[str, Given]]:
    """The keys of a run file that describe the trained adapter."""
    given = use.given("peft_config")
    if given is not None and not _is_none(given.value):
        yield from _of_config(state, given)
        return
    for made in policy.adapters:
        yield "use_peft", _true(made)
        value = made.argument("peft_config", 1)
        if isinstance(value, Made):
            yield from _lora(value)
        elif value is None or isinstance(value, Plain):
            yield from _lora(made)
        else:
            yield "lora_target_modules", Given(value, None, made.span)
        return
    yield from _unused(state)


def _of_config(state: State, given: Given) -> Iterator[tuple[str, Given]]:
    value = given.value
    if isinstance(value, Made) and value.short == "get_peft_config":
        yield from _of_arguments(value)
    elif isinstance(value, Made) and value.short.endswith("Config"):
        yield "use_peft", Given(Plain(True), given.name, given.whole or value.span)
        yield from _lora(value)
    elif isinstance(value, Unknown):
        yield "use_peft", given
    else:
        yield "use_peft", Given(Plain(True), given.name, given.whole)
        why = Unknown("the adapter's config is created outside the script", _span(value))
        yield "lora_target_modules", Given(why, None, given.whole)


def _of_arguments(call: Made) -> Iterator[tuple[str, Given]]:
    """`get_peft_config(model_args)`: the adapter that TRL's own arguments ask for."""
    config = call.arguments[0] if call.arguments else None
    if not isinstance(config, Made) or config.rest is not None:
        yield (
            "use_peft",
            Given(Unknown("the model's arguments are not known", call.span), None, call.span),
        )
        return
    held = {**config.given, **config.attributes}
    for key in ("use_peft", *NAMES.values()):
        if key in held:
            yield key, held[key]


def _lora(made: Made) -> Iterator[tuple[str, Given]]:
    if made.rest is not None:
        yield "lora_target_modules", Given(made.rest, None, made.span)
    for name, key in NAMES.items():
        if name in made.given and name != "task_type":
            yield key, made.given[name]


def _unused(state: State) -> Iterator[tuple[str, Given]]:
    """A `LoraConfig` that nothing in the script is given."""
    configs = [made for made in state.made if made.short == "LoraConfig"]
    handed = [
        value
        for made in state.made
        for value in (*made.arguments, *(given.value for given in made.given.values()))
    ]
    arguments = [value for made in state.made for deed in made.deeds for value in deed.arguments]
    for config in configs:
        used = any(value is config for value in (*handed, *arguments))
        if not used and not config.deeds and len(configs) == 1 and not _stored(state, config):
            r = config.given.get("r")
            yield "lora_r", r or Given(Plain(8), None, config.span)


def _stored(state: State, config: Made) -> bool:
    """Whether the config may be passed on in a way that was not followed (`**`, a return value)."""
    return any(made.rest is not None for made in state.made)


def quantised(policy: Loaded) -> Iterator[tuple[str, Given]]:
    """How the policy's weights are quantised, if that is known."""
    for key in BITS:
        if key in policy.options:
            yield key, policy.options[key]
    config = policy.options.get("quantization_config")
    if config is not None and isinstance(config.value, Made):
        for key in BITS:
            if key in config.value.given:
                yield key, config.value.given[key]
    elif config is not None and isinstance(config.value, Unknown):
        for key in BITS:
            yield key, config
    elif isinstance(getattr(config, "value", None), Table):
        pass
    unsloth = policy.loader is not None and "FastLanguageModel" in policy.loader.of
    if unsloth and policy.loader and not any(key in policy.options for key in BITS):
        why = Unknown("Unsloth decides whether the weights are quantised", policy.loader.span)
        yield "load_in_4bit", Given(why, None, policy.loader.span)


def _is_none(value: Value) -> bool:
    return isinstance(value, Plain) and value.value is None


def _true(made: Made) -> Given:
    return Given(Plain(True), None, made.span)


def _span(value: Value) -> Span | None:
    return getattr(value, "span", None)
