"""What the run trains: trainer, arguments, the models by role, the tokenizer, the processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct, field

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable, Undecided
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.run_script import RunScript
from trl_doctor.files import document
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import Target
from trl_doctor.files.translated import certain_keys
from trl_doctor.machine.surroundings import Surroundings

if TYPE_CHECKING:
    from trl_doctor.machine.cards import Stated

Role: TypeAlias = Literal["policy", "reference", "reward", "value", "teacher", "tokenizer"]

ROLE_KEYS: dict[Role, tuple[str, ...]] = {
    "policy": ("sft_model_path", "model_name_or_path", "policy_model_name_or_path"),
    "reference": ("reference_model_name_or_path", "ref_model_name_or_path"),
    "reward": ("reward_model_path", "reward_model_name_or_path"),
    "value": ("value_model_name_or_path", "value_model_path"),
    "teacher": ("teacher_model_name_or_path",),
    "tokenizer": ("tokenizer_name_or_path",),
}
"""The keys under which a run file names each model: TRL's scripts' keys, then trl-doctor's."""

UNDECIDED = "(not known)"
"""The name of a model that only the user's own code or shell decides."""

OWN_KEYS = frozenset({"trainer", "dataset_format"}.union(*ROLE_KEYS.values())) - {
    *ROLE_KEYS["teacher"]
}
"""Keys of a run file that are not arguments of a trainer; a teacher's is one."""


class Model(Struct, frozen=True):
    """A model that the run names: its name, where the name is written, and its folder.

    If that folder is only an adapter, `adapter` is it, and `folder` is its base model's.
    """

    role: Role
    name: str
    place: Place
    folder: Folder | Unavailable
    adapter: Folder | None = None

    @property
    def named(self) -> Folder | Unavailable:
        """The folder with the name itself: an adapter's own, not its base model's."""
        return self.adapter or self.folder


class Run(Struct, frozen=True, dict=True):
    """What the target describes.

    `file` is None for a model folder, `Unreadable` for a run file that cannot be read.
    `trainer` is `Unavailable` if it is not known. `processes` is the number of training processes
    that the run file or the user states, None if nothing states it. `processes_assumed` says that
    the number comes from this machine, and not from the run. `stated` are trl-doctor's own keys
    that comments or settings set. `vllm_server` is the address of a running server that the user
    wants to be checked. `roots` are the folders in which relative names are searched.
    `by_class` says that the arguments are passed to the trainer's config class, and not to a
    command of TRL; `parser` is the class that reads them from a command line, "" for none. `beside`
    are keys that are stated elsewhere. `notes` tell the reader of the report how the target was
    read. `script` is what the run's own code shows. `hardware` are the GPUs that the user or a
    launch file states. `machine` is this machine, if the run may start on it. `program` is the
    other program whose run file this is, `left` are its keys that have no meaning in TRL.
    `turns` are earlier runs of the same loop or array: the line of each, and its output_dir.
    """

    target: Target
    file: document.Document | document.Unreadable | None
    trainer: Trainer | Unavailable
    trainer_from: str
    models: Mapping[Role, Model] = field(default_factory=dict)
    processes: int | None = None
    processes_from: str = ""
    vllm_server: str = ""
    roots: tuple[Path, ...] = ()
    by_class: bool = False
    parser: str = ""
    beside: frozenset[str] = OWN_KEYS
    notes: tuple[str, ...] = ()
    script: RunScript = RunScript()
    hardware: Stated | Unavailable | None = None
    processes_assumed: bool = False
    stated: Mapping[str, str] = field(default_factory=dict)
    machine: Surroundings = field(default_factory=Surroundings)
    program: str = ""
    left: tuple[str, ...] = ()
    moved: Mapping[Path, Path] = field(default_factory=dict)
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def names_gpus(self) -> bool:
        """Whether the command line names the GPUs: this machine is then taken for the job's."""
        stated = self.hardware
        return not isinstance(stated, Unavailable | None) and not stated.stated_in

    @property
    def policy(self) -> Folder | Unavailable:
        """The folder of the model that is trained."""
        return self.folder_of("policy")

    def folder_of(self, role: Role) -> Folder | Unavailable:
        """The folder of a role; `tokenizer` and `reference` default to the policy's folder."""
        model = self.models.get(role)
        if model is None and role in ("tokenizer", "reference"):
            return self.folder_of("policy")
        if model is None:
            if isinstance(self.file, Unavailable):
                return self.file
            keys = " or ".join(ROLE_KEYS[role][:2])
            return Unavailable(f"the run names no {role} model ({keys})")
        return model.folder

    @cached_property
    def arguments(self) -> Mapping[str, Json]:
        """All top-level keys of the run file; empty if there is none that can be read."""
        if not isinstance(self.file, document.Document) or not isinstance(self.file.value, dict):
            return {}
        value = self.file.value
        if self.program:
            reason = Unavailable(f"{self.program} uses keys of its own for it")
            complete_keys = frozenset(certain_keys(self.program, self.left))
            return Partly({**self.stated, **value}, rest=reason, complete=complete_keys)
        return {**self.stated, **value} if self.stated else value

    def place(self, *keys: str | int) -> Place:
        """The place of an argument in the run file; the target's path if there is no file."""
        if isinstance(self.file, document.Document):
            return self.file.place(pointer(*keys))
        return Place(self.target.path, pointer(*keys))

    def number(self, key: str, default: float | None = None) -> float | None:
        """An argument as a number: in YAML 1.1 `5e-6` is text, and TRL's parser converts it.

        Values that are no finite number give the default.
        """
        value = self.arguments.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return default
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return default
        return number if math.isfinite(number) else default

    def flag(self, key: str, default: bool = False) -> bool:
        """An argument as a boolean; accepts the words that TRL's command line accepts."""
        value = self.arguments.get(key, default)
        if isinstance(value, str):
            return value.strip().lower() in ("true", "t", "yes", "y", "1", "on")
        return bool(value)


def model_run(target: Target, trainer: Trainer | Unavailable, processes: int | None) -> Run:
    """The run of a bare model folder: a policy, and nothing else."""
    place = Place(target.path)
    folder = Folder(target.path, target.given, target.partial)
    policy = Model("policy", target.given, place, folder)
    return Run(target, None, trainer, "--trainer", {"policy": policy}, processes, "--processes")


def models_named(
    arguments: Mapping[str, Json],
    place_of: Callable[[str], Place],
    resolve: Callable[[str], Folder | Unavailable],
) -> dict[Role, Model]:
    """The models that a run file names, each role under its first key that is present.

    A key with the value null names no model: the role is then `Unavailable`. Where
    `sft_model_path` names the policy, `model_name_or_path` names the tokenizer, as in TRL's PPO
    script.
    """
    models: dict[Role, Model] = {}
    for role, keys in ROLE_KEYS.items():
        try:
            if role == "tokenizer" and arguments.get("sft_model_path") is not None:
                keys = (*keys, "model_name_or_path")
            key = next((key for key in keys if arguments.get(key) is not None), None) or next(
                (key for key in keys if key in arguments), None
            )
        except Undecided as reason:
            models[role] = Model(role, UNDECIDED, place_of(keys[0]), reason)
            continue
        if key is None:
            continue
        place, name = place_of(key), arguments[key]
        if isinstance(name, str) and name.strip():
            models[role] = Model(role, name, place, resolve(name))
        else:
            shown = "null" if name is None else f"{name!r}, which is no name of a model"
            models[role] = Model(role, "", place, Unavailable(f"{key} is {shown}"))
    return models
