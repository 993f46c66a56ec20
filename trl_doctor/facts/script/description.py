"""A run as a script describes it: one trainer with its arguments, models, tokenizer and data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run import Role
from trl_doctor.facts.script import adapters, data, trainers
from trl_doctor.facts.script.models import Loaded, loaded
from trl_doctor.facts.script.roles import RoleModel, models_of, rewards_of
from trl_doctor.facts.script.trainers import Use
from trl_doctor.facts.script.values import as_clause, entries
from trl_doctor.files.launch.flags import completed
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    NamedValue,
    Plain,
    Table,
    Unknown,
    Value,
)

BESIDE = frozenset(
    {"use_peft", "load_in_4bit", "load_in_8bit", "dataset_name", "dataset_config",
     "datasets", "dataset_streaming", "dataset_train_split", "reward_funcs",
     "trust_remote_code", "model_name_or_path", "model_revision", "env", *adapters.SCRIPT_KEYS}
)  # fmt: skip
"""Keys of a run file that no config class takes: what a script says elsewhere."""


class Described(Struct, frozen=True, eq=False):
    """What a script says of one run."""

    use: Use
    trainer: Trainer | Unavailable
    arguments: Partly[Json]
    held: Mapping[str, NamedValue]
    models: Mapping[Role, RoleModel]
    config: LibraryObject | None
    notes: tuple[str, ...] = ()
    beside: frozenset[str] = BESIDE
    rewards: tuple[Value, ...] = field(default=())


ADAPTERS_OWN = ("adapter_name", "is_trainable", "config")
"""What AutoPeftModel of peft does not give to the class of the model."""


def _options(use: Use, policy: Loaded) -> dict[str, NamedValue]:
    """What the script loads its model with; RewardTrainer itself asks for one label.

    Without what a class of peft takes for the adapter itself.
    """
    labels = policy.options.get("num_labels")
    single_label = (
        labels is not None and isinstance(labels.value, Plain) and labels.value.value == 1
    )
    drops = single_label and use.name == "RewardTrainer"
    loader = policy.loader.of if isinstance(policy.loader, LibraryObject) else ""
    of_adapter = ADAPTERS_OWN if loader.startswith("peft.") else ()
    return {
        name: option
        for name, option in policy.options.items()
        if not (drops and name == "num_labels") and name not in of_adapter
    }


def described(
    reading: Reading, use: Use, places: Places, fields: frozenset[str] = frozenset()
) -> Described:
    """The run of one of the script's trainers. `fields` are those of its config class."""
    state = reading.state
    config = trainers.config(use)
    made = config if isinstance(config, LibraryObject) else None
    held = dict(_arguments(made, fields)) if made else {}
    rest = _rest(state, config, made)
    policy = loaded(state, use.value("model", "policy"))
    beside = dict(_beside(reading, use, policy))
    if policy.loader is not None:
        beside["model_init_kwargs"] = NamedValue(
            Table(_options(use, policy), policy.rest, policy.loader.span), None, policy.loader.span
        )
    everything = {**held, **beside}
    complete = frozenset(
        {*BESIDE, *beside, "trainer", "dataset_format", "datasets", "accelerate_config"}
    )
    arguments = entries(state, "", everything, rest, complete)
    return Described(
        use,
        use.trainer or Unavailable(f"{use.name} is not a trainer that trl-doctor knows"),
        arguments,
        everything,
        dict(models_of(reading, use, policy, places)),
        made,
        tuple(_notes(reading, held if made else beside, arguments, made)),
        frozenset({*BESIDE, *beside}) - {key for key in held if not held[key].perhaps},
        tuple(rewards_of(use)),
    )


def _rest(
    state: State, config: LibraryObject | Unknown | None, made: LibraryObject | None
) -> Unavailable | None:
    if isinstance(config, Unknown):
        return Unavailable(f"the trainer's arguments are not known: {as_clause(state, config)}")
    if made is not None and made.rest is not None:
        return Unavailable(as_clause(state, made.rest))
    return None


def _arguments(config: LibraryObject, fields: frozenset[str]) -> Iterator[tuple[str, NamedValue]]:
    """The arguments of the trainer's config by name, as they are when the trainer is made."""
    if config.arguments and "output_dir" not in config.keywords:
        first = config.arguments[0]
        yield "output_dir", NamedValue(first, None, getattr(first, "span", None))
    for key, argument in {**config.keywords, **config.attributes}.items():
        if config.parsed and argument.option and argument.file is None:
            key = completed(key, fields)
        own = key in config.fields and fields and key not in fields
        other = config.parsed and fields and key not in fields and key in _PARSED_BESIDE
        others = config.shared and fields and key not in fields
        if not own and not other and not others and not key.startswith("_"):
            yield key, argument


_PARSED_BESIDE = frozenset([
    "config", "model_name_or_path", "model_revision", "dtype", "torch_dtype",
    "trust_remote_code", "attn_implementation", "use_peft", "lora_r", "lora_alpha",
    "lora_dropout", "lora_target_modules", "lora_modules_to_save", "lora_task_type",
    "use_rslora", "use_dora", "load_in_8bit", "load_in_4bit", "bnb_4bit_quant_type",
    "use_bnb_nested_quant", "lora_target_parameters", "dataset_name", "dataset_config",
    "dataset_train_split", "dataset_test_split", "dataset_streaming",
    "gradient_checkpointing_use_reentrant", "ignore_bias_buffers", "reward_model_name_or_path",
    "reward_funcs", "datasets", "streaming", "test_split_size", "sft_model_path",
    "reward_model_path",
])  # fmt: skip
"""Options of TRL's own argument classes that a parser hands to the one that has them."""


CONFIGURES = frozenset(
    {"beta", "dataset_num_proc", "dataset_text_field", "label_smoothing", "loss_type",
     "max_length", "max_prompt_length", "max_seq_length", "max_target_length",
     "neftune_noise_alpha", "packing"}
)  # fmt: skip
"""Arguments of the config that a trainer's own class takes, too, before trl 0.13."""


def _beside(reading: Reading, use: Use, policy: Loaded) -> Iterator[tuple[str, NamedValue]]:
    state = reading.state
    if policy.name is not None:
        yield "model_name_or_path", NamedValue(policy.name, None, policy.name.span)
    for key in ("trust_remote_code",):
        if key in policy.options:
            yield key, policy.options[key]
    yield from adapters.adapter(state, use, policy)
    yield from adapters.quantised(policy)
    yield from data.data(use.given("train_dataset"))
    if (rewards := use.given("reward_funcs")) is not None:
        yield "reward_funcs", _reward_names(reading, rewards)
    for key in sorted(CONFIGURES.intersection(use.names, use.made.keywords)):
        yield key, use.made.keywords[key]
    if (optimizers := use.given("optimizers")) is not None:
        why = NamedValue(
            Unknown("the script creates the optimizer itself", optimizers.whole),
            None,
            optimizers.whole,
        )
        yield "optim", why
        yield "learning_rate", why
    variables = {
        k: value for k, value in state.set_variables.items() if isinstance(value.value, Plain)
    }
    if variables:
        yield "env", NamedValue(Table(dict(variables)))


def _reward_names(reading: Reading, argument: NamedValue) -> NamedValue:
    """The reward functions by names that can be imported; unknown where one is the script's own."""
    from trl_doctor.facts.script.rewards import name

    values = argument.value.items if isinstance(argument.value, Many) else [argument.value]
    names: list[Value] = []
    for value in values:
        sentence = name(reading, value)
        if isinstance(sentence, Unknown):
            return NamedValue(sentence, argument.name, argument.whole)
        names.append(Plain(sentence))
    if not names:
        return NamedValue(
            Unknown("the list is empty at this point of the script", argument.whole),
            None,
            argument.whole,
        )
    return NamedValue(Many(names), argument.name, argument.whole)


LAUNCHED = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What a launcher sets."""


def _notes(
    reading: Reading, given: Iterable[str], arguments: Partly[Json], config: LibraryObject | None
) -> Iterator[str]:
    """What was read, and what was not, a sentence each; `given` are those of the config, if any."""
    state, names = reading.state, set(given)
    known_count = len(names - arguments.unknown.keys() - arguments.perhaps.keys())
    where = f" of {config.short} ({state.place(config.span)})" if config else ""
    known = f"{known_count} of {len(names)} arguments{where} are known"
    yield f"read without running it: {known if names else f'no arguments{where} are given'}"
    for reason in arguments.unknown.values():
        yield str(reason)
    if arguments.rest is not None:
        yield f"further arguments are not known: {arguments.rest}"
    variables = {*state.environment, *state.set_variables, *os.environ, *LAUNCHED}
    read_here = state.read_variables.items()
    if unset := [f"{name} ({state.place(at)})" for name, at in read_here if name not in variables]:
        yield f"the script needs environment variables that are not set here: {', '.join(unset)}"
    if reading.incomplete:
        yield reading.incomplete
    if state.more:
        yield f"further options of the command line are not known: {state.more}"
    if state.argv is None and state.parses:
        yield (
            "the script reads a command line, and its defaults are used because none was given: "
            "add it after `--` (trl-doctor check train.py -- ARGS)"
        )
