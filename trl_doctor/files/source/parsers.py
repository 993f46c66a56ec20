"""Command lines of scripts: argparse, HfArgumentParser, TrlParser, and functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from trl_doctor.core.unavailable import COMMAND_LINE
from trl_doctor.files.source.command_line import Line, read_line, typed
from trl_doctor.files.source.objects import Arguments, Class, Function, Instance, Option, Parser
from trl_doctor.files.source.option_values import converted, keys
from trl_doctor.files.source.refused_words import note_refused
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Keywords,
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)

REMAINING = ("return_remaining_strings", "return_remaining_args")
"""Arguments that make a parser return one more result."""


PLAIN = frozenset({"description", "formatter_class", "add_help", "prog", "usage", "epilog"})
"""Arguments of `ArgumentParser` that change nothing of what it accepts."""


def of_options(state: State, keywords: Keywords, node: ast.Call) -> Value:
    """`argparse.ArgumentParser(…)`."""
    return Parser(open=not PLAIN.issuperset(keywords))


def of_classes(
    state: State, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    """`HfArgumentParser((A, B))` and `TrlParser((A, B))`."""
    classes = values[0] if values else None
    if classes is None and "dataclass_types" in keywords:
        classes = keywords["dataclass_types"].value
    return Parser(
        classes=list(classes.items) if isinstance(classes, Many) else [classes] if classes else []
    )


def method(
    state: State, parser: Parser, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    """What a method of a parser returns."""
    if name == "add_argument":
        _add(state, parser, values, keywords, node)
        return Plain(None)
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return parser
    if name == "set_defaults":
        parser.fresh.update({key: value.value for key, value in keywords.items()})
        return Plain(None)
    if name.startswith("parse"):
        return _parsed(state, parser, name, values, keywords, node)
    parser.open = True
    return state.unknown(node)


def _add(
    state: State, parser: Parser, values: list[Value], keywords: Keywords, node: ast.Call
) -> None:
    names = tuple(str(value.value) for value in values if isinstance(value, Plain))
    rest = "nargs" in keywords and not isinstance(keywords["nargs"].value, Plain)
    parser.open = parser.open or len(names) < len(values) or rest or bool(state.guards)
    if not names:
        return
    long = next((name for name in names if name.startswith("--")), names[0])
    target = long.lstrip("-").replace("-", "_")
    if "dest" in keywords and isinstance(keywords["dest"].value, Plain):
        target = str(keywords["dest"].value.value)
    action = keywords["action"].value if "action" in keywords else Plain("store")
    kind = str(action.value) if isinstance(action, Plain) else "BooleanOptionalAction"
    flag = "required" in keywords and _is(keywords["required"], True)
    required = flag or not names[0].startswith("-")
    standard: Value = Plain({"store_true": False, "store_false": True}.get(kind))
    default = keywords["default"].value if "default" in keywords else standard
    parser.options.append(
        Option(names, target, default, kind, required, keywords, state.span(node))
    )


def _is(argument: NamedValue, value: object) -> bool:
    return isinstance(argument.value, Plain) and argument.value.value is value


def _parsed(
    state: State, parser: Parser, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    if name == "parse_dict" and values and isinstance(values[0], Table):
        line = Line(dict(values[0].entries), values[0].rest)
    elif name in ("parse_dict", "parse_json_file", "parse_yaml_file"):
        line = Line({}, state.unknown(node))
    else:
        argv = values[0] if values else keywords["args"].value if "args" in keywords else None
        tokens = _words(argv)
        state.parses = state.parses or tokens is None
        line = read_line(state, state.argv or () if tokens is None else tokens, node)
        line.whole = tokens is not None
        if name == "parse_args" and not parser.classes and (argv is None or line.whole):
            note_refused(state, parser, tokens, node)
    if not parser.classes:
        namespace: Value = _namespace(state, parser, line, node)
        return (
            Many([namespace, state.unknown(node)], kind="tuple") if "known" in name else namespace
        )
    line.parser = "TrlParser" if name == "parse_args_and_config" else "HfArgumentParser"
    line.shared = any(map(_strange, parser.classes))
    own = {key for class_ in parser.classes if isinstance(class_, Class)
           for key in class_.all_fields()}  # fmt: skip
    objects = [_object(state, class_, line, own, node) for class_ in parser.classes]
    if any(_is(keywords[key], True) for key in REMAINING if key in keywords):
        objects.append(state.unknown(node))
    return Many(objects, state.span(node), "tuple")


def _strange(cls: Value) -> bool:
    """Whether the fields of a class are neither in the script nor in a library that is known."""
    if isinstance(cls, Class):
        return any(isinstance(base, Unknown) or _strange(base) for base in cls.bases)
    name = cls.name if isinstance(cls, Outside) else ""
    return not name.startswith(("trl.", "transformers.", "builtins."))


def _words(value: Value | None) -> tuple[str, ...] | None:
    """A command line that the script itself writes; None if it takes the user's."""
    if not isinstance(value, Many) or not all(isinstance(item, Plain) for item in value.items):
        return None
    return tuple(str(item.value) for item in value.items if isinstance(item, Plain))


def _namespace(state: State, parser: Parser, line: Line, node: ast.Call) -> Instance:
    values: dict[str, NamedValue] = {}
    names = set[str]()
    for option in parser.options:
        name = next((key for key in keys(option) if key in line.keywords), "")
        stated = line.keywords.get(name)
        if stated is None and f"no_{option.target}" in line.keywords:
            stated = NamedValue(Plain(False))
        if stated is not None:
            names.add(option.target)
            value = _given(converted(stated.value, option), name)
            values[option.target] = NamedValue(value, None, option.span)
        elif line.rest is not None:
            values[option.target] = NamedValue(line.rest, None, option.span)
        elif option.required:
            flag = option.names[0]
            why = f"it comes from the command line ({flag}): give it after --"
            values[option.target] = NamedValue(Unknown(why, option.span), None, option.span)
        else:
            value = parser.fresh.get(option.target, option.default)
            if isinstance(value, Plain) and isinstance(value.value, str):
                value = converted(value, option)  # as argparse does with defaults that are texts
            values[option.target] = NamedValue(value, None, option.span)
    rest = line.rest or state.unknown(node)
    namespace = Instance(None, values, rest, state.span(node), frozenset(names))
    state.settings.append(namespace)
    return namespace


def _given(value: Value, option: str) -> Value:
    """A value of the command line, with the name of its option."""
    return replace(value, option=option) if isinstance(value, Plain) else value


def _object(state: State, cls: Value, line: Line, own: set[str], node: ast.Call) -> Value:
    """The object that the parser creates from one of its classes; `own` are the fields of the
    script's classes.
    """
    others = {key: value for key, value in line.keywords.items() if key not in own}
    if isinstance(cls, Class):
        fields = cls.all_fields()
        outside = cls.outside()
        held = {k: _field(k, fields[k], cls, line) for k in fields}
        stated = frozenset(fields) & frozenset(line.keywords)
        instance = Instance(cls, held, line.rest, state.span(node), stated)
        if outside is None:
            state.settings.append(instance)
            return instance
        made = _new_object(state, outside.name, {**held, **others}, line, node)
        made.fields = frozenset(fields)
        state.settings.append(replace(instance, derived=True))
        return made
    if isinstance(cls, Outside):
        return _new_object(state, cls.name, others, line, node)
    return state.unknown(node)


def _new_object(
    state: State, name: str, keywords: dict[Any, NamedValue], line: Line, node: ast.Call
) -> LibraryObject:
    keywords = {k: replace(value, value=typed(value.value)) for k, value in keywords.items()}
    rest = line.rest
    if state.argv is None and rest is None and not line.whole:
        rest = Unknown(COMMAND_LINE, state.span(node))
    made = state.new(name, node, [], keywords, rest)
    made.parsed, made.shared = line.parser, line.shared
    return made


def _field(name: str, default: NamedValue, cls: Class, line: Line) -> NamedValue:
    value = line.keywords.get(name)
    if value is not None:
        given = _given(typed(value.value), value.option)
        return replace(value, value=given, name=default.name, whole=default.whole)
    if line.rest is not None:
        return NamedValue(line.rest, default.name, default.whole)
    if isinstance(default.value, Unknown) and "has no default" in default.value.why:
        why = f"it comes from the command line (--{name}): give it after --"
        return NamedValue(Unknown(why, default.name), default.name, default.whole)
    return default


def of_function(
    state: State, callee: Function, defaults: Mapping[str, Value], node: ast.AST
) -> Arguments:
    """The arguments of a function that a command line calls (fire, typer, click)."""
    line = read_line(state, state.argv or (), node)
    signature = callee.node.args
    names = [
        argument.arg
        for argument in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)
    ]
    arguments = {}
    for name in names:
        if name in line.keywords:
            arguments[name] = NamedValue(typed(line.keywords[name].value))
        elif name not in defaults:
            why = f"it comes from the command line (--{name}): give it after --"
            arguments[name] = NamedValue(Unknown(why, state.span(node)))
    return Arguments([], arguments, line.rest)


def of_class(state: State, cls: Class, node: ast.Call) -> Value:
    """The object of a class of the script that a command line fills (tyro)."""
    line = read_line(state, state.argv or (), node)
    return _object(state, cls, line, set(cls.all_fields()), node)
