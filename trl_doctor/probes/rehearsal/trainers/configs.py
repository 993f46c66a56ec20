"""Lets a config class judge the script's own arguments, then makes them small."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ...watching import evaluation
from ..errors.failing import failing
from ..kinds import LIBRARY, package_of
from ..models.made import BYTES, MADE
from ..order import Order
from ..patching import MARK, running
from ..record import Record, as_json, of_the_job, world
from ..settings import cutting, deepspeed
from ..settings.grouped import rows_of_batch
from ..where import here
from ..writes import outputs

OWN = "_trl_doctor_given"
"""The attribute in which a config remembers what the script gave."""

NUMBER = "_trl_doctor_number"
"""The attribute with a config's number, by which a trainer names it."""

MADE_AS = "_trl_doctor_made_as"
"""The attribute with the switches and the words of a config, as they were when it was made."""

EVALUATES = "_trl_doctor_evaluates"
"""The attribute that says whether the script evaluates while it trains."""

SAVES = "save_strategy"
"""It is cut without a word: the model is saved, and where it matters a checkpoint, in any case."""

LATER = ("eval_strategy", "evaluation_strategy")
"""What is cut where the trainer gets it: a script gives rows to evaluate on where it says so."""

CHANGED = frozenset({*cutting.CPU, *LATER, SAVES, "output_dir", "logging_dir", "report_to"})


class Configs:
    """Patches of the classes of arguments."""

    def __init__(self, order: Order, record: Record) -> None:
        self.order, self.record = order, record
        self._inside = False
        self._count = 0

    def act(self, module: ModuleType) -> None:
        """Every class of arguments that the module defines."""
        for kind in list(vars(module).values()):
            if isinstance(kind, type) and dataclasses.is_dataclass(kind) and _trains(kind):
                self._patch(kind)
                self._watch(kind)

    def _watch(self, kind: Any) -> None:
        """Patch the script's own classes that extend it, once the first object is made of each."""
        if getattr(kind.__new__, MARK, False):
            return

        def new(cls: Any, *args: Any, **more: Any) -> Any:
            if "__dataclass_fields__" in vars(cls) and _is_made(vars(cls).get("__init__")):
                self._patch(cls)
            return object.__new__(cls)

        setattr(new, MARK, True)
        kind.__new__ = new

    def _patch(self, kind: Any) -> None:
        original = vars(kind).get("__init__")
        if original is None or getattr(original, MARK, False):
            return

        @functools.wraps(original)
        def init(config: Any, *args: Any, **more: Any) -> None:
            if self._inside or not running():
                original(config, *args, **more)
                return
            self._inside = True
            try:
                self._construct(original, config, args, more)
            finally:
                self._inside = False

        setattr(init, MARK, True)
        kind.__init__ = init

    def _construct(self, original: Any, config: Any, given: Any, more: dict[str, Any]) -> None:
        kind = type(config)
        types = cutting.types_of(kind)
        own = {**dict(zip(types, given)), **more}
        at = here()
        self._count += 1
        self.record.add("config", name=kind.__name__, given=own, added=_added(kind), at=at,
                        number=self._count, processes=of_the_job())  # fmt: skip
        used = dict(own)
        machine = cutting.for_this_machine(
            own, types, outputs.folder(own.get("output_dir"), self.order)
        )
        used.update({name: value for name, (value, _) in machine.items()})
        if used.get("deepspeed"):
            used["deepspeed"] = deepspeed.on_cpu(used["deepspeed"], own, self.record)
        try:
            with _as_many_as_in_the_job(kind):
                original(config, **used)
        except BaseException as error:
            self.record.add("failed", stage="config", **failing(error), at=at)
            raise
        steps, rows = self.order.steps, rows_of_batch()
        cuts = cutting.small(own, types, kind.__name__, steps, world(), rows, wide=self.order.wide)
        if used.get("deepspeed"):
            used["deepspeed"] = deepspeed.small(used["deepspeed"], own, cuts)
        deepspeed.of_launcher(own, cuts, self.record, self.order.scratch)
        used.update({name: value for name, (value, _) in cuts.items() if name not in LATER})
        original(config, **used)
        if used.get("deepspeed") or os.environ.get("ACCELERATE_USE_DEEPSPEED") == "true":
            deepspeed.joined()
        self._report(config, own, {**machine, **cuts}, at)
        vars(config).update({OWN: own, NUMBER: self._count, MADE_AS: _switches(config)})

    def _report(self, config: Any, own: dict[str, Any], cuts: cutting.Cuts, at: Any) -> None:
        defaults = {field.name: field.default for field in dataclasses.fields(config)}
        for name, (value, why) in cuts.items():
            if name == SAVES:
                continue
            stated = own.get(name, defaults.get(name))
            if stated is dataclasses.MISSING or as_json(stated) == as_json(value):
                continue
            if name in own or (name not in cutting.WITHOUT_WORD and name not in cutting.CPU):
                self.record.add("changed", name=name, given=stated, used=value, why=why, at=at,
                                config=self._count)  # fmt: skip


def _is_made(init: Any) -> bool:
    """Whether `dataclasses` made this `__init__`, which takes each field. Others call it."""
    return getattr(getattr(init, "__code__", None), "co_filename", "") == "<string>"


def again(config: Any, order: Order, record: Record, at: Any) -> None:
    """Cut once more what the script has set on a config since it was made."""
    for name, (value, why) in cutting.CPU.items():
        if value is False and getattr(config, name, None) is True:
            setattr(config, name, value)
            record.add("changed", name=name, given=True, used=value, why=why, at=at)
    _roomier(config, order, record, at)
    types = cutting.types_of(type(config))
    now = {name: getattr(config, name) for name in types if hasattr(config, name)}
    cuts = cutting.small(now, types, type(config).__name__, order.steps, world(), rows_of_batch(),
                         wide=order.wide)  # fmt: skip
    vars(config)[EVALUATES] = evaluation.wanted(now, "")
    for name in ("max_steps", "max_completion_length", SAVES, *LATER):
        if name in cuts:
            setattr(config, name, type_like(getattr(config, name), cuts[name][0]))
    if hasattr(config, "output_dir") and not outputs.is_scratch(config.output_dir, order):
        config.output_dir = outputs.folder(config.output_dir, order)
    if hasattr(config, "report_to"):
        config.report_to = []


def set_later(config: Any) -> dict[str, Any]:
    """The switches and words that the script has set on a config since it was made."""
    before: dict[str, Any] = getattr(config, MADE_AS, {})
    now = _switches(config) if before else {}
    return {name: value for name, value in now.items() if before.get(name, value) != value}


def _switches(config: Any) -> dict[str, Any]:
    """Values that are true, false or a text, but those that a rehearsal changes itself."""
    names = {field.name for field in dataclasses.fields(config)} - CHANGED
    values = {name: as_json(getattr(config, name, None)) for name in names}
    return {name: value for name, value in values.items() if isinstance(value, (bool, str))}


def own_of(arguments: Any) -> dict[str, Any]:
    """What the script gave this config; empty where it remembers nothing."""
    own: dict[str, Any] = getattr(arguments, OWN, None) or {}
    return own


def without_end(config: Any, order: Order) -> bool:
    """Whether neither the config's call nor a later line of the script limits the steps."""
    own = vars(config).get(OWN) if config is not None else None
    limit = (own or {}).get("max_steps")
    return (
        own is not None
        and not (isinstance(limit, (int, float)) and limit > 0)
        and getattr(config, "max_steps", order.steps) == order.steps
    )


def _roomier(config: Any, order: Order, record: Record, at: Any) -> None:
    """Cut texts later, where the tokens of a made model are bytes: four of them make one."""
    if not any(order.models.glob(f"{MADE}*")):
        return
    for name in (*cutting.ROW_LENGTHS, "max_prompt_length"):
        length = getattr(config, name, None)
        if isinstance(length, int):
            setattr(config, name, length * BYTES)
            record.add("changed", name=name, given=length, used=length * BYTES,
                       why="a token of the generated model is a byte", at=at)  # fmt: skip


def type_like(now: Any, value: Any) -> Any:
    """A text as a member of the enumeration that the field has now."""
    return type(now)(value) if hasattr(now, "value") and isinstance(value, str) else value


@contextlib.contextmanager
def _as_many_as_in_the_job(kind: Any) -> Iterator[None]:
    """Let a config class count the job's processes: a rehearsal starts fewer."""
    owner = next((base for base in kind.__mro__ if "world_size" in vars(base)), None)
    if owner is None or of_the_job() == world():
        yield
        return
    before = vars(owner)["world_size"]
    owner.world_size = property(lambda config: of_the_job())
    try:
        yield
    finally:
        owner.world_size = before


def _added(kind: type) -> list[str]:
    """The fields that the script's own class adds to a library's."""
    library = next((base for base in kind.__mro__ if _of_library(base)), kind)
    return sorted(
        set(cutting.types_of(kind)) - {field.name for field in dataclasses.fields(library)}
    )


def _of_library(kind: type) -> bool:
    return package_of(kind) in LIBRARY


def _trains(kind: type) -> bool:
    names = {field.name for field in dataclasses.fields(kind)}
    return {"output_dir", "learning_rate"} <= names
