"""What the methods of a script's own trainer use that the installed TRL's classes lack."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.trainer import TRAINERS, Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.function_body import body_nodes
from trl_doctor.facts.library import accepted, exports, releases, trl_sources
from trl_doctor.facts.library.classes import Definition, Sources
from trl_doctor.facts.passed import Method
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import constructed, passed
from trl_doctor.files.source.objects import Class

BRANCHES = (ast.If, ast.IfExp, ast.Try, ast.BoolOp, ast.While, ast.Match)
FORMATTED = re.compile(r"""f["']([^"'\n]*\{[^"'\n]*)["']""")
BATCHES = {
    "grpo": ("compute_loss", "_compute_loss"),
    "dpo": ("compute_loss", "concatenated_forward", "get_batch_loss_metrics"),
}
"""Methods of trainers whose second argument is a batch that the trainer itself makes."""

COLLATOR = "data_collator"
BASE = ("Trainer", "transformers.trainer")
"""The class at which TRL's trainers end, and the module that is read for it."""


class Lacking(Struct, frozen=True):
    """A name that a method uses and that does not exist.

    `of` is the class that should have it, `sure` says that the trainer calls the method, and that
    it always comes to this line.
    """

    method: str
    name: str
    of: str
    place: Place
    sure: bool


def methods_lacking(facts: Facts) -> tuple[Lacking, ...]:
    """The calls `self.name(…)` of which neither the script nor TRL defines the method."""
    methods, name = passed(facts).methods, _kind(facts).trainer
    classes = [cls for method in methods.values() if (cls := method.function.cls)]
    if not classes or not all(_plain(cls, name) for cls in classes):
        return ()
    texts = class_texts(facts, name)
    if not texts:
        return ()
    members = {deed.name.removesuffix(" =") for deed in passed(facts).deeds}
    own = members.union(*({*cls.all_members(), *_names_set(cls, of_self=True)} for cls in classes))
    missing = []
    for key, method in methods.items():
        for node, called in _calls(method):
            exists = called in own or any(_has(text, called) for text in texts)
            if not exists and not called.startswith("__"):
                sure = _reached(key, texts) and not _chosen(method, node)
                missing.append(Lacking(key, called, name, method.place, sure))
    return tuple(missing)


def arguments_lacking(facts: Facts) -> tuple[Lacking, ...]:
    """The arguments that a method reads, and that only other releases' config has."""
    values, config = passed(facts), constructed(passed(facts).given("args"))
    kind = _kind(facts).config
    keys = accepted(facts.environment, _kind(facts))
    fields = keys.config
    if config is None or config.short != kind or not fields or keys.absent:
        return ()
    missing = []
    for key, method in values.methods.items():
        cls = method.function.cls
        own_names = _names_set(cls, of_self=False) if cls else set()
        for node, name in _reads(method):
            exists = name in fields or name in config.fields or name in own_names
            if not exists and releases.lifetimes(kind, name):
                sure = key == "__init__" and not _chosen(method, node)
                missing.append(Lacking(key, name, kind, method.place, sure))
    return tuple(missing)


def keys_lacking(facts: Facts) -> tuple[Lacking, ...]:
    """The keys that a method reads from a batch, and that no line of TRL's trainer puts there."""
    values, name = passed(facts), _kind(facts)
    methods = {key: m for key, m in values.methods.items() if key in BATCHES.get(name.name, ())}
    classes = [cls for method in values.methods.values() if (cls := method.function.cls)]
    collates = any(COLLATOR in _names_set(cls, of_self=True) for cls in classes)
    known = methods and not collates and not values.has(COLLATOR)
    texts = class_texts(facts, name.trainer) if known else []
    own = set[str]().union(*map(_written_keys, classes))
    missing = []
    for key, method in methods.items():
        takes = [argument.arg for argument in method.function.node.args.args]
        for name_ in _keys(method, takes[2]) if len(takes) > 2 else ():
            if texts and name_ not in own and not any(_writes(text, name_) for text in texts):
                missing.append(Lacking(key, name_, takes[2], method.place, sure=False))
    return tuple(missing)


def _keys(method: Method, batch: str) -> Iterator[str]:
    """The keys that are read as `batch["key"]` or `batch.get("key")`."""
    for node in body_nodes(method.function.node):
        key: ast.AST | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = node.slice if _is(node.value, batch) else None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            called = node.func.attr == "get" and _is(node.func.value, batch)
            key = node.args[0] if called else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _written_keys(cls: Class) -> set[str]:
    """The keys that a class of the script writes itself."""
    keys = set()
    for node in ast.walk(cls.node):
        if isinstance(node, ast.Dict):
            keys |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
    return {name for name in keys if isinstance(name, str)}


def _writes(text: str, key: str) -> bool:
    """Whether a module has this text, or one with parts (`f"{side}_labels"`) that can become it."""
    if f'"{key}"' in text or f"'{key}'" in text:
        return True
    for match in FORMATTED.finditer(text):
        parts = [re.escape(part) for part in re.split(r"\{[^}]*\}", match[1])]
        if re.search(r"[a-z]{3}", "".join(parts)) and re.fullmatch(".+".join(parts), key):
            return True
    return False


def _kind(facts: Facts) -> Trainer:
    name = known_trainer(facts)
    if name is None:
        raise NotConcerned("the trainer is not known")
    return TRAINERS[name]


def _plain(cls: Class, trainer: str) -> bool:
    """Whether a class has only bases of the script and TRL's trainer."""
    for base in cls.bases:
        if isinstance(base, Class):
            if not _plain(base, trainer):
                return False
        elif getattr(base, "name", "").rpartition(".")[2] != trainer:
            return False
    return True


def class_texts(facts: Facts, trainer: str) -> list[str]:
    """The modules that define a trainer and its bases; none where one is not known."""
    try:
        sources = trl_sources(facts.environment)
    except Unavailable:
        return []
    home = exports.home(sources, trainer)
    definition = sources.definition(home, trainer) if home else None
    texts = list(_of(sources, definition)) if definition else []
    return [text for text in texts if text] if all(texts) else []


def _of(sources: Sources, definition: Definition) -> Iterator[str]:
    yield sources.text(definition.module) or ""
    module = sources.module(definition.module)
    for base in definition.node.bases:
        name = base.id if isinstance(base, ast.Name) else ""
        place = module.imports.get(name) if module else None
        if name == BASE[0] and place and place[0].startswith("transformers"):
            yield sources.text(BASE[1]) or ""
        elif module and (local := module.classes.get(name)):
            yield from _of(sources, Definition(definition.module, local))
        elif place and place[0].startswith("trl") and (imported := sources.definition(*place)):
            yield from _of(sources, imported)
        else:
            yield ""


def _has(text: str, name: str) -> bool:
    listed = rf"^ +{name},?$|import .*\b{name}\b"
    return bool(re.search(rf"(\.|def |^ {{4}}){name}\b|{listed}", text, re.MULTILINE))


def _reached(method: str, texts: list[str]) -> bool:
    """Whether the trainer's own code calls a method of this name."""
    return method == "__init__" or any(f"self.{method}(" in text for text in texts)


def _calls(method: Method) -> Iterator[tuple[ast.AST, str]]:
    """The calls of methods of the object itself."""
    arguments = method.function.node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    for node in body_nodes(method.function.node) if plain else ():
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and _is(called.value, plain[0].arg):
            yield node, called.attr


def _reads(method: Method) -> Iterator[tuple[ast.AST, str]]:
    """The attributes of `self.args`, and of `args` where the trainer is made with it."""
    takes = [argument.arg for argument in method.function.node.args.args]
    for node in body_nodes(method.function.node):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        holder = node.value
        own = isinstance(holder, ast.Attribute) and holder.attr == "args" and takes
        if (own and isinstance(holder, ast.Attribute) and _is(holder.value, takes[0])) or (
            method.function.name == "__init__" and "args" in takes and _is(holder, "args")
        ):
            yield node, node.attr


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _chosen(method: Method, node: ast.AST) -> bool:
    """Whether a condition decides if the method comes to a line, or an error is caught."""
    return any(
        isinstance(outer, BRANCHES) and any(inner is node for inner in ast.walk(outer))
        for outer in body_nodes(method.function.node)
    )


def _names_set(cls: Class, *, of_self: bool) -> set[str]:
    """The names that a class and its bases set on an object, or say as texts (`hasattr`).

    The object is the one itself, or any other.
    """
    names = set()
    for base in cls.bases:
        names |= _names_set(base, of_self=of_self) if isinstance(base, Class) else set()
    for node in ast.walk(cls.node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if _is(node.value, "self") is of_self:
                names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    return names
