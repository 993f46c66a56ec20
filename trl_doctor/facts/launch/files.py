"""The settings that spread a run over processes: accelerate's, DeepSpeed's and FSDP's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Fix, Json, Place, Put, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.library.launcher_keys import ACCELERATE, OF_DEEPSPEED, OF_FSDP
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.placing import found
from trl_doctor.files.launch.program import launcher_options
from trl_doctor.machine.profiles import profile

LOOP = frozenset(
    {"sft", "dpo", "kto", "reward", "grpo", "orpo", "cpo", "bco", "rloo", "online_dpo", "gkd"}
)
"""Trainers whose loop is that of transformers, which fills in `auto` and compares values."""


class Settings(Struct, frozen=True):
    """Settings in a file, or in a dictionary that the run passes on.

    `name` is how the user calls them: the file's name, or the argument's.
    """

    name: str
    value: Mapping[str, Json]
    whole: Place

    def get(self, *keys: str, default: Json = None) -> Json:
        """The value that a route of keys leads to; `default` where it leads nowhere."""
        return document.value_at(dict(self.value), *keys, default=default)

    def part(self, *keys: str) -> Mapping[str, Json]:
        """The mapping that a route of keys leads to; empty if there is none."""
        value = self.get(*keys)
        return value if isinstance(value, dict) else {}

    def place(self, *keys: str) -> Place:
        """The place of a value; the whole where the settings have no places of their own."""
        if self.whole.spot is not None:
            return self.whole
        return Place(self.whole.file, self.whole.pointer + pointer(*keys))

    def change(self, message: str, *edits: Put | Remove, safe: bool = True) -> Fix | None:
        """A fix of these settings; None if no file contains them in this form."""
        return None if self.whole.spot else Fix(message, edits, safe)

    def renamed(self, keys: tuple[str, ...], name: str) -> Fix | None:
        """The fix of a misspelt key; None if the right one is there too."""
        if name in self.part(*keys[:-1]):
            return None
        old, new = self.place(*keys), self.place(*keys[:-1], name)
        edits = (Put(new.file, new.pointer, self.get(*keys)), Remove(old.file, old.pointer))
        return self.change(f"rename {keys[-1]} to {name}", *edits, safe=False)

    def put(self, keys: tuple[str, ...], value: Json) -> Fix | None:
        """The fix that writes another value."""
        place = self.place(*keys)
        message = f'set {".".join(keys)} to "{value}"'
        return self.change(message, Put(place.file, place.pointer, value))


def accelerate_settings(facts: Facts) -> Settings:
    """The file that `accelerate launch` reads for this run, with the launcher's options over it.

    Raises `NotConcerned` if none is named, `Unavailable` if it is not here.
    """
    file, arguments = accelerate_file(facts), facts.run.arguments
    stated = {key: arguments[key] for key in OF_COMMAND if arguments.get(key) is not None}
    return replace(file, value=_under(file.value, {**stated, **options_of_launcher(facts)}))


def is_of_deepspeed(file: Settings) -> bool:
    """Whether a file has the key that those of DeepSpeed with ZeRO have, and none of accelerate."""
    return "zero_optimization" in file.value


OF_COMMAND = ("mixed_precision", "zero_stage", "offload_optimizer_device", "offload_param_device")
"""Options of accelerate that TRL's command passes on, and has none of its own for."""

SWITCHES = {"multi_gpu": "MULTI_GPU", "use_deepspeed": "DEEPSPEED", "use_fsdp": "FSDP"}
"""Options of accelerate that replace `distributed_type`."""


def _under(file: Mapping[str, Json], options: Mapping[str, Json]) -> Mapping[str, Json]:
    """accelerate's file with the options that win over it, in the words of the file."""
    value = dict(file)
    for key, option in options.items():
        part = PART_OF.get(key, "")
        inner = value.get(part)
        if key in SWITCHES:
            value["distributed_type"] = SWITCHES[key]
        elif part:
            short = key.removeprefix("fsdp_")
            others = dict(inner) if isinstance(inner, dict) else {}
            others.pop(short, None)
            value[part] = {**others, key: _typed(option)}
        elif key in ACCELERATE:
            value[key] = option
    return value


PART_OF = {
    **dict.fromkeys(OF_DEEPSPEED, "deepspeed_config"),
    **dict.fromkeys(OF_FSDP, "fsdp_config"),
}


def _typed(option: Json) -> Json:
    words = {"true": True, "false": False}
    if not isinstance(option, str):
        return option
    return int(option) if option.isdecimal() else words.get(option.lower(), option)


def accelerate_file(facts: Facts) -> Settings:
    """The file of accelerate as it is written; raises as `accelerate_settings` does."""
    launch, launcher = facts.run.target.launch, facts.run.target.launched_by
    if launch is not None and launcher is not None and launch.accelerate:
        return _file(facts, launch.accelerate, found(launch.accelerate, launch, launcher))
    for key in ("accelerate_config", "config_file"):
        name = facts.run.arguments.get(key)
        if isinstance(name, dict):
            return Settings(key, name, facts.run.place(key))
        if isinstance(name, str) and name.strip():
            own = dataset.existing_path(facts, name)
            shipped = (path for path in profile(name, facts.environment) if path.is_file())
            return _file(facts, name, own if own and own.is_file() else next(shipped, None), key)
    raise NotConcerned("the run names no file of accelerate")


def unreadable(
    facts: Facts, settings_of: Callable[[Facts], Settings]
) -> document.Unreadable | None:
    """Why no program can read the file of these settings: it is empty or not valid.

    For DeepSpeed's settings this is None if accelerate's file, which names them, is the broken
    one.
    """
    try:
        facts[settings_of]
    except document.Unreadable as problem:
        if problem.kind not in ("invalid", "empty"):
            return None
        named_by = None if settings_of is accelerate_settings else accelerate_settings
        above = unreadable(facts, named_by) if named_by else None
        return None if above is not None and above.path == problem.path else problem
    except Unavailable:
        return None
    return None


def if_named(facts: Facts, settings_of: Callable[[Facts], Settings]) -> Settings | None:
    """The settings; None if the run names none. Raises `Unavailable` if they are not here."""
    try:
        return facts[settings_of]
    except NotConcerned:
        return None


def options_of_launcher(facts: Facts) -> Mapping[str, str]:
    """The options of `accelerate launch` itself, which override accelerate's file."""
    launch = facts.run.target.launch
    return {} if launch is None else launcher_options(launch)


def deepspeed_settings(facts: Facts) -> Settings:
    """DeepSpeed's own settings: the run's `deepspeed`, or the file that accelerate's names.

    Raises `NotConcerned` if there are none, `Unavailable` where they are not here.
    """
    setting = facts.run.arguments.get("deepspeed")
    if isinstance(setting, dict):
        return Settings("deepspeed", setting, facts.run.place("deepspeed"))
    if isinstance(setting, str) and setting.strip():
        return _file(facts, setting, dataset.existing_path(facts, setting), "deepspeed")
    for name in _named_by_accelerate(facts):
        launcher = facts.run.target.launched_by
        launch = facts.run.target.launch
        file = found(name, launch, launcher) if launcher else dataset.existing_path(facts, name)
        return _file(facts, name, file)
    raise NotConcerned("the run names no settings of DeepSpeed")


def fsdp_settings(facts: Facts) -> Settings:
    """The run's own `fsdp_config`, a file or a dictionary. Raises like `deepspeed_settings`."""
    setting = facts.run.arguments.get("fsdp_config")
    if not facts.run.arguments.get("fsdp"):
        raise NotConcerned("the run does not use FSDP by its own arguments")
    if isinstance(setting, dict):
        return Settings("fsdp_config", setting, facts.run.place("fsdp_config"))
    if isinstance(setting, str) and setting.strip():
        return _file(facts, setting, dataset.existing_path(facts, setting))
    raise NotConcerned("the run has no fsdp_config")


def zero_stage(facts: Facts) -> int | None:
    """The stage of ZeRO that the run trains with; None if it does not use DeepSpeed.

    Raises `Unavailable` if the files do not say it.
    """
    try:
        stage = facts[deepspeed_settings].get("zero_optimization", "stage", default=0)
    except NotConcerned:
        stage = _stage_of_accelerate(facts)
    if isinstance(stage, str) and stage.isdecimal():
        return int(stage)
    if isinstance(stage, int | None):
        return stage
    raise Unavailable("the stage of ZeRO is not written in the settings of DeepSpeed")


def _stage_of_accelerate(facts: Facts) -> Json:
    settings = if_named(facts, accelerate_settings)
    if settings is None or settings.get("distributed_type") != "DEEPSPEED":
        return None
    return settings.get("deepspeed_config", "zero_stage", default=2)


def _named_by_accelerate(facts: Facts) -> Iterator[str]:
    if option := options_of_launcher(facts).get("deepspeed_config_file"):
        yield option
    settings = if_named(facts, accelerate_settings)
    if settings is None:
        return
    name = settings.get("deepspeed_config", "deepspeed_config_file")
    if settings.get("distributed_type") == "DEEPSPEED" and isinstance(name, str) and name:
        yield name


def _file(facts: Facts, name: str, path: Path | None, key: str = "") -> Settings:
    if path is None:
        raise Unavailable(f"{key} {name} is not here".strip())
    file: Document = document.read(facts.run.moved.get(path, path))
    return Settings(path.name, file.mapping(), file.place(""))
