"""Sections of the script's own files that hold arguments of its trainer, and never reach it.

Another section of the same file reaches the config, or what is beside the sections does.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...named_objects import nodes_of
from ..record import Mistake
from ..where import own_files
from . import config_files
from .config_files import FEWEST, LEFT, LISTED, differs, same, short
from .lost_names import SHOWS

MOST_PASSED, MOST_FIELDS, DEEPEST = 2 / 3, 3 / 4, 3
"""The shares of keys that reach the config, and that are its fields, at least; how deep to look."""

DIFFER, ALIKE = 2, 2
"""Values that are not the config's, at least; keys that two of several presets have, at least."""

OF_ALL = re.compile(
    r"train\w*|arg\w*|config|cfg|param\w*|hyper\w*|hparams|hp|optim\w*|schedul\w*|lr|batch\w*"
    r"|logging|checkpoint\w*|sav(?:e|ing)|precision|algo\w*|loss|objective|rl|policy|kl"
    r"|common|shared|general|settings|options|extra|more|specific"
)
"""Words in names of sections that hold arguments of any trainer."""

OF_ANSWERS = re.compile(r"generat\w*|sampl\w*|rollouts?|completions?")
"""Words of sections that hold such if one of these arguments is there."""
ANSWERS = frozenset({"num_generations", "max_completion_length"})

CONFIG, PART = re.compile(r"(\w+)Config"), re.compile(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])")
SHOWN = (SHOWS - {"update", "init"}) | {"warning", "debug", "write", "pformat", "str", "len"}
FILE = re.compile(r"\.(?:ya?ml|json)$")
GETS = frozenset({"get", "pop", "setdefault"})
ALL_OF = frozenset({"items", "values"})


class Part(NamedTuple):
    """A section beside one that reached the config: `other` is its name, "" for no section."""

    name: str
    values: Mapping[str, Any]
    other: str
    parent: Mapping[str, Any]


def unread(config: Any, given: Mapping[str, Any] | None) -> Iterator[Mistake]:
    """Such sections, which the script's code shows at most, and other programs do not name."""
    if not given or not dataclasses.is_dataclass(config):
        return
    fields = {field.name: field.default for field in dataclasses.fields(config)}
    for file in config_files.loaded:
        for part in _parts(file.values, given, fields):
            lost = {
                key: f"{key} ({short(value)}, not {short(fields[key])})"
                for key, value in part.values.items()
                if key not in LEFT and key in fields
                and differs(value, fields[key], getattr(config, key, None))
            }  # fmt: skip
            if len(lost) < DIFFER or not _is_of(part, type(config)):
                continue
            code = _Code(part)
            read = re.compile(rf"""["']{re.escape(part.name)}["']|\.{re.escape(part.name)}\b""")
            if not code.reads() and not any(map(read.search, config_files.others(file.path))):
                told = ", ".join([*lost.values()][:4])
                yield Mistake("section unread", [part.name, file.file, told])


def _parts(
    values: Mapping[str, Any], given: Mapping[str, Any], fields: Mapping[str, Any], depth: int = 0
) -> Iterator[Part]:
    """The sections of which no argument was given, though most of another's were."""
    sections = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    beside = {key: value for key, value in values.items() if key not in sections}
    branches = {**sections, "": beside}
    passed = [name for name, part in branches.items() if _reached(part, given, fields)]
    for name, section in sections.items():
        known = [key for key in section if key in fields]
        presets = any(_alike(section, other) for key, other in branches.items() if key != name)
        if passed and not presets and len(known) >= max(FEWEST, MOST_FIELDS * len(section)) \
                and not any(key in given for key in known):  # fmt: skip
            yield Part(name, section, passed[0], values)
        if depth < DEEPEST:
            yield from _parts(section, given, fields, depth + 1)


def _reached(part: Mapping[str, Any], given: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    known = [key for key in part if key in fields]
    passed = [key for key in known if key in given and same(part[key], given[key])]
    return len(passed) >= max(FEWEST, MOST_PASSED * len(known))


def _alike(section: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two sections are presets, or of two trainings: only one of them is for this."""
    both = sum(key in other for key in section)
    return both >= ALIKE or 2 * both >= len(section)


def _is_of(part: Part, kind: type) -> bool:
    """Whether a section's name is that of this config's trainer, or says nothing of another."""
    kinds = {match[1].lower() for one in kind.__mro__ if (match := CONFIG.fullmatch(one.__name__))}
    words = [word.lower() for word in PART.findall(part.name)]
    answers = OF_ANSWERS if not ANSWERS.isdisjoint(part.values) else OF_ALL
    return "".join(words) in kinds or (
        bool(words)
        and all(
            word in kinds or OF_ALL.fullmatch(word) or answers.fullmatch(word) for word in words
        )
    )


class _Code:
    """What the script's own code does with a section."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.nodes = [node for file in own_files() for node in nodes_of(file)]
        calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        self.shown = {id(one) for call in calls if _called(call) in SHOWN for one in _inside(call)}
        self.keys = [key for node in self.nodes if (key := _looked_up(node))]

    def reads(self) -> bool:
        """Whether the code may read the section: it names it, and not only to show it."""
        owners = {owner for owner, key in self.keys if key in self.part.parent}
        other = self.part.other
        if other and not any(key == other for _, key in self.keys):
            return True  # nobody sees how the other one has come to the config
        for node in self.nodes:
            if self._may_take_any(node, owners):
                return True
            if _names(node, self.part.name) and id(node) not in self.shown | self._only_shown():
                return True
        return False

    def _may_take_any(self, node: ast.AST, owners: set[str]) -> bool:
        """Whether it reads a section whose name the code does not say: `config[stage]`."""
        if isinstance(node, ast.Subscript):
            return not isinstance(node.slice, ast.Constant) and ast.unparse(node.value) in owners
        if not isinstance(node, ast.Call):
            return False
        name = _called(node)
        if name == "getattr":
            owner, key = [*node.args, None, None][:2]
        else:
            owner, key = getattr(node.func, "value", None), next(iter(node.args), None)
        if owner is None or ast.unparse(owner) not in owners:
            return False
        if name in ALL_OF:
            return bool(self.part.other)
        return name in GETS | {"getattr"} and not isinstance(key, ast.Constant)

    def _only_shown(self) -> set[int]:
        """The parts of what is put into names that the code only shows."""
        names = [node for node in self.nodes if isinstance(node, ast.Name)]
        loads = [one for one in names if isinstance(one.ctx, ast.Load)]
        only = {one.id for one in loads} - {one.id for one in loads if id(one) not in self.shown}
        return {
            id(one)
            for node in self.nodes
            if isinstance(node, ast.Assign)
            and all(isinstance(name, ast.Name) and name.id in only for name in node.targets)
            for one in _inside(node.value)
        }


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A part of the code with all in it, but for what other calls get."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Call) or _called(child) in SHOWN | GETS | ALL_OF:
            yield from _inside(child)


def _looked_up(node: ast.AST) -> tuple[str, str] | None:
    """What a key is looked up in, and the key: `config["grpo"]`, `config.get("grpo")`."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node.value), node.attr
    owner: ast.expr | None = None
    if isinstance(node, ast.Subscript):
        owner, key = node.value, node.slice
    elif isinstance(node, ast.Call) and _called(node) in GETS and node.args:
        owner, key = getattr(node.func, "value", None), node.args[0]
    if owner is None or not isinstance(key, ast.Constant):
        return None
    return ast.unparse(owner), str(key.value)


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        listed = LISTED.fullmatch(node.value) and not FILE.search(node.value)
        return bool(listed) and name in re.findall(r"\w+", node.value)
    return isinstance(node, ast.Attribute) and node.attr == name
