"""What libraries for configuration make: OmegaConf, hydra, pydantic, dacite and their kind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from trl_doctor.files.source import existing, files, functions, interpolation, modules
from trl_doctor.files.source.command_line import commands
from trl_doctor.files.source.command_line.keys import of_words, typed
from trl_doctor.files.source.containers import as_table
from trl_doctor.files.source.objects import MODELS, Arguments, Class, Function, Instance
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    LibraryObject,
    NamedValue,
    Plain,
    Table,
    Unknown,
    Value,
)

VALIDATED = ("model_validate", "parse_obj", "from_dict", "construct", "model_construct")
"""Methods of a class that make an object of a dictionary."""

DUMPED = ("model_dump", "dict", "to_dict")
"""Methods of such an object that make a dictionary of it."""

OF_DATA = {"dacite.from_dict": 1, "cattrs.structure": 0, "cattr.structure": 0, "msgspec.convert": 0}
"""What makes an object of a class of a dictionary, and which argument that is."""

HYDRA = ("hydra.initialize", "hydra.initialize_config_dir", "hydra.experimental.initialize")


def call(state: State, name: str, handed: Arguments, node: ast.Call) -> Value | None:
    """What a function of such a library returns; None for any other."""
    if name.endswith(("OmegaConf.merge", "OmegaConf.unsafe_merge")):
        return _merged(state, handed, node)
    if name.endswith("OmegaConf.from_cli"):
        state.parses = state.parses or not handed.values
        return _of_words(state, state.argv or (), node)
    if name.endswith("OmegaConf.from_dotlist") and handed.values:
        words = getattr(handed.values[0], "items", [])
        return _of_words(state, [str(w.value) for w in words if isinstance(w, Plain)], node)
    if name in ("hydra.compose", "hydra.experimental.compose"):
        return _composed(state, handed, node)
    if name in ("hydra.utils.instantiate", "hydra.utils.call"):
        return _instantiated(state, handed, node)
    if (known := existing.call(state, name, handed.values, node)) is not None:
        return known
    if name == "importlib.import_module" and handed.values:
        text = handed.values[0].value if isinstance(handed.values[0], Plain) else None
        return modules.by_name(state, text, node) if isinstance(text, str) else None
    if name in OF_DATA:
        return _of_data(state, OF_DATA[name], handed, node)
    return None


def method(
    state: State, owner: Value, name: str, handed: Arguments, node: ast.Call
) -> Value | None:
    """What a method returns that pydantic, or a file's own reader, has; None for any other."""
    if isinstance(owner, Plain) and not handed.values:
        return existing.method(state, owner, name, node)
    if isinstance(owner, LibraryObject) and name == "load" and owner.of == "ruamel.yaml.YAML":
        value = files.content(state, handed.values[0] if handed.values else None, node)
        return interpolation.with_exponents(value)
    if isinstance(owner, Instance) and owner.cls and _is_model(owner.cls) and name in DUMPED:
        return as_table(owner)
    if not isinstance(owner, Class) or name not in VALIDATED or owner.member(name) is not None:
        return None
    table = as_table(handed.values[0]) if handed.values else Table(dict(handed.keywords))
    return filled(state, owner, table, node) if table is not None else None


def made(state: State, cls: Class, handed: Arguments, node: ast.Call) -> Value | None:
    """An object of a class of pydantic's or its kind; None for any other class."""
    if not _is_model(cls) or handed.values:
        return None
    return filled(state, cls, Table(dict(handed.keywords), handed.rest), node)


def filled(state: State, cls: Class, table: Table, node: ast.Call) -> Value:
    """The object of a class of the script whose fields a dictionary gives, also those inside."""
    entries, inner = dict(table.entries), cls.classes()
    for name, entry in table.entries.items():
        if name in inner and isinstance(entry.value, Table):
            entries[name] = NamedValue(filled(state, inner[name], entry.value, node))
    if not _is_model(cls):
        return functions.instance(state, cls, Arguments([], entries, table.rest), node)
    entries = {**_of_variables(state, cls, node), **_converted(cls, entries)}
    entries = {**cls.all_fields(), **entries}
    entries.update(_changed(state, cls, entries))
    return functions.instance(state, cls, Arguments([], entries, table.rest), node)


def _changed(state: State, cls: Class, entries: Mapping[str, NamedValue]) -> dict[str, NamedValue]:
    """The entries that a validator of the class may change, which are not known."""
    unknown: dict[str, NamedValue] = {}
    members = [member for member in cls.all_members().values() if isinstance(member, Function)]
    for member in members:
        for decorator in () if _only_checks(member.node) else member.decorated:
            if not isinstance(decorator, LibraryObject) or "validator" not in decorator.of:
                continue
            plain = [word.value for word in decorator.arguments if isinstance(word, Plain)]
            why = f"the validator {member.name} of {cls.node.name} may change it"
            for name in plain or entries:
                unknown[str(name)] = NamedValue(Unknown(why, decorator.span))
    return unknown


def _only_checks(node: ast.AST) -> bool:
    """Whether a validator assigns nothing, and returns nothing but what it gets."""
    returned = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return)]
    assigns = any(isinstance(inner, ast.Assign | ast.AugAssign | ast.Lambda | ast.NamedExpr)
                  for inner in ast.walk(node))  # fmt: skip
    return not assigns and all(isinstance(value, ast.Name) for value in returned)


def _is_model(cls: Class) -> bool:
    outside = cls.outside()
    return outside is not None and outside.name.startswith(MODELS)


def _converted(cls: Class, entries: dict[str, NamedValue]) -> dict[str, NamedValue]:
    """The entries with texts read as numbers where the class wants numbers, as pydantic does."""
    numbers = {
        statement.target.id
        for statement in cls.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        and ast.unparse(statement.annotation) in ("int", "float", "bool")
    }  # fmt: skip
    return {name: NamedValue(typed(entry.value), entry.name, entry.whole)
            if name in numbers else entry for name, entry in entries.items()}  # fmt: skip


def _of_variables(state: State, cls: Class, node: ast.AST) -> dict[str, NamedValue]:
    """The fields of pydantic's settings that variables of the environment give."""
    outside = cls.outside()
    if outside is None or not outside.name.endswith("BaseSettings"):
        return {}
    config = cls.member("model_config") or cls.member("Config")
    options = as_table(config) if config is not None else None
    start, file = (_text(options, name) for name in ("env_prefix", "env_file"))
    if file and any((root / file).is_file() for root in state.homes()):
        why = Unknown(f"it may be in {file}", state.span(node))
        return {name: NamedValue(why, default.name, default.whole)
                for name, default in cls.all_fields().items()}  # fmt: skip
    values = {}
    for name, default in cls.all_fields().items():
        variable = f"{start}{name}".upper()
        if "has no default" in getattr(default.value, "why", ""):
            value = interpolation.variable(state, variable, None, node)
        else:
            value = interpolation.variable(state, variable, default.value, node)
        if value is not default.value:
            values[name] = NamedValue(typed(value), default.name, default.whole)
    return values


def _text(options: Table | None, name: str) -> str:
    entry = options.entries.get(name) if options else None
    return str(entry.value.value or "") if entry and isinstance(entry.value, Plain) else ""


def _merged(state: State, handed: Arguments, node: ast.Call) -> Value:
    """The configurations in one: what a later one has counts."""
    whole = Table({}, handed.rest, state.span(node))
    for value in handed.values:
        table = as_table(value)
        if table is None:
            why = value.why if isinstance(value, Unknown) else f"it is `{state.shown(node)}`"
            whole.rest = Unknown(why, state.span(node))
            whole.entries = {key: NamedValue(whole.rest) for key in whole.entries}
        else:
            _merge(whole, table)
    return whole


def _merge(whole: Table, other: Table) -> None:
    for key, entry in other.entries.items():
        inner = whole.entries.get(key)
        if inner and isinstance(inner.value, Table) and isinstance(entry.value, Table):
            both = Table(dict(inner.value.entries), inner.value.rest)
            _merge(both, entry.value)
            whole.entries[key] = NamedValue(both)
        else:
            whole.entries[key] = entry
    whole.rest = whole.rest or other.rest


def _of_words(state: State, words: Iterable[str], node: ast.AST) -> Table:
    """The dictionary of words like `model.name=x`."""
    whole = Table({})
    for key, named in of_words(state, words, node).keywords.items():
        *route, last = str(key).split(".")
        part = Table({last: NamedValue(typed(named.value), option=named.option)})
        for name in reversed(route):
            part = Table({name: NamedValue(part)})
        _merge(whole, part)
    return whole


def _composed(state: State, handed: Arguments, node: ast.Call) -> Value:
    """`hydra.compose(…)`, in the folder that the last `initialize` names."""
    begun = next((made for made in reversed(state.made) if made.of in HYDRA), None)
    name = handed.values[0] if handed.values else None
    if name is None and "config_name" in handed.keywords:
        name = handed.keywords["config_name"].value
    folder = begun.argument("config_path", 0) or begun.argument("config_dir") if begun else None
    given = handed.keywords.get("overrides")
    words = getattr(given.value, "items", None) if given else []
    if words is None or not all(isinstance(word, Plain) for word in words):
        return state.unknown(node)
    return commands.composed(state, folder, name, [str(word.value) for word in words], node)


def _instantiated(state: State, handed: Arguments, node: ast.Call) -> Value | None:
    """The object of the class that `_target_` names, with the other entries as its arguments."""
    table = as_table(handed.values[0]) if handed.values else None
    target = table.entries.get("_target_") if table else None
    if table is None or target is None or "_partial_" in table.entries:
        return None
    if not isinstance(target.value, Plain):
        return None
    entries = {str(key): entry for key, entry in table.entries.items() if str(key)[:1] != "_"}
    entries.update(handed.keywords)
    name, rest = str(target.value.value), table.rest or handed.rest
    own = modules.defined(state, name, node)
    if isinstance(own, Class):
        return functions.instance(state, own, Arguments([], entries, rest), node)
    if isinstance(own, Function):
        return functions.function(state, own, Arguments([], entries, rest), node)
    state.uses(name, node)
    return state.new(name, node, [], entries, rest)


def _of_data(state: State, at: int, handed: Arguments, node: ast.Call) -> Value | None:
    values = [*handed.values, *(word.value for word in handed.keywords.values())]
    cls = next((value for value in values if isinstance(value, Class)), None)
    data = handed.values[at] if at < len(handed.values) else None
    data = handed.keywords["data"].value if "data" in handed.keywords else data
    table = as_table(data) if data is not None and not isinstance(data, Class) else None
    return filled(state, cls, table, node) if cls and table else None
