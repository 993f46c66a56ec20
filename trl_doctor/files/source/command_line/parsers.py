"""Command lines of scripts: argparse, HfArgumentParser and TrlParser."""

from __future__ import annotations

import ast

from trl_doctor.files.source.command_line.filling import filled, given, is_required
from trl_doctor.files.source.command_line.keys import FILES, Line, of_file, read_line, value_of
from trl_doctor.files.source.command_line.option_values import converted, keys
from trl_doctor.files.source.command_line.positionals import apart
from trl_doctor.files.source.command_line.refused_words import note_refused
from trl_doctor.files.source.objects import (
    Arguments,
    Class,
    Function,
    Instance,
    Option,
    Parser,
)
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import (
    Keywords,
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


OF_CLASSES = ("HfArgumentParser", "TrlParser")
"""The parsers whose options are the fields of classes."""

FILE_FIRST = "parse_yaml_file"
"""What `parse()` of the alignment handbook's parser calls: its first word can be a run file."""

PLAIN_PARSER = "argparse.ArgumentParser"
"""The parser that reads no file by itself."""

PLAIN = frozenset({"description", "formatter_class", "add_help", "prog", "usage", "epilog"})
"""Arguments of `ArgumentParser` that change nothing of what it accepts."""


def of_options(name: str, keywords: Keywords) -> Value:
    """`argparse.ArgumentParser(…)`."""
    return Parser(open=not PLAIN.issuperset(keywords), by_words=name == PLAIN_PARSER)


def of_classes(handed: Arguments) -> Parser:
    """`HfArgumentParser((A, B))` and `TrlParser((A, B))`."""
    classes = handed.values[0] if handed.values else None
    if classes is None and "dataclass_types" in handed.keywords:
        classes = handed.keywords["dataclass_types"].value
    return Parser(
        classes=list(classes.items) if isinstance(classes, Many) else [classes] if classes else []
    )


def of_own_class(cls: Class, handed: Arguments) -> Parser | None:
    """A parser of a class of the script that derives from one of these; None for others."""
    base = cls.outside()
    if (
        base is None
        or base.name.rpartition(".")[2] not in OF_CLASSES
        or cls.member("__init__") is not None
    ):
        return None
    parser = of_classes(handed)
    parser.own = cls
    return parser


def method(
    state: State, parser: Parser, name: str, values: list[Value], keywords: Keywords, node: ast.Call
) -> Value:
    """What a method of a parser returns."""
    own = parser.own.member(name) if parser.own is not None else None
    if isinstance(own, Function) and not (name == "parse" and FILE_FIRST in ast.unparse(own.node)):
        return state.unknown(node)
    if name == "add_argument":
        _add(state, parser, values, keywords, node)
        return Plain(None)
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return parser
    if name in ("add_arguments", "add_class_arguments", "add_dataclass_arguments"):
        _add_class(state, parser, values, keywords)
        return Plain(None)
    if name == "set_defaults":
        parser.open = parser.open or any(word.arg is None for word in node.keywords)
        parser.fresh.update({key: value.value for key, value in keywords.items()})
        return Plain(None)
    if name.startswith("parse"):
        return _parsed(state, parser, name, values, keywords, node)
    parser.open = True
    return state.unknown(node)


def _add_class(state: State, parser: Parser, values: list[Value], keywords: Keywords) -> None:
    """`add_arguments(A, dest="a")`: options for the fields of a class (simple_parsing)."""
    parser.open = True
    name = keywords["dest"].value if "dest" in keywords else values[1] if values[1:] else None
    if values and isinstance(name, Plain) and isinstance(name.value, str) and not state.guards:
        parser.nested[name.value] = values[0]


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
    count = keywords["nargs"].value if "nargs" in keywords else Plain(1)
    may_lack = isinstance(count, Plain) and count.value in ("?", "*")
    required = flag or not (names[0].startswith("-") or may_lack)
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
        line = _of_file(state, values, keywords, node)
    else:
        argv = values[0] if values else keywords["args"].value if "args" in keywords else None
        tokens = _words(argv)
        state.parses = state.parses or tokens is None
        words = state.argv or () if tokens is None else tokens
        if name == "parse" and words and words[0].endswith(FILES):
            words = ("--config", *words)
        named, in_order = apart(parser.options, words)
        line = read_line(state, named, node, files=not parser.by_words)
        for key, texts in in_order.items():
            line.keywords[key] = NamedValue(value_of(texts, node, state), option=key)
        line.whole = tokens is not None
        if name == "parse_args" and not parser.classes and (argv is None or line.whole):
            note_refused(state, parser, tokens, node)
    if not parser.classes:
        namespace = _namespace(state, parser, line, node)
        namespace.closed = not (parser.open or values[1:] or "namespace" in keywords)
        return (
            Many([namespace, state.unknown(node)], kind="tuple") if "known" in name else namespace
        )
    line.parser = "TrlParser" if name == "parse_args_and_config" else "HfArgumentParser"
    extra = name == "parse_dict" and (len(values) > 1 or "allow_extra_keys" in keywords)
    line.shared = extra or any(map(_strange, parser.classes))
    fields = [class_.all_fields() for class_ in parser.classes if isinstance(class_, Class)]
    own = {key for each in fields for key in each}
    if line.parser == "TrlParser" and state.argv is None and not line.whole:
        line.needed = any(is_required(default) for each in fields for default in each.values())
    objects = [filled(state, class_, line, own, node) for class_ in parser.classes]
    if any(_is(keywords[key], True) for key in REMAINING if key in keywords):
        objects.append(state.unknown(node))
    return Many(objects, state.span(node), "tuple")


def _of_file(state: State, values: list[Value], keywords: Keywords, node: ast.Call) -> Line:
    """The values of the JSON or YAML file that a parser reads instead of a command line."""
    named = values[0] if values else next((word.value for word in keywords.values()), None)
    if isinstance(named, Plain):
        return of_file(state, named.value, node)
    if isinstance(named, Unknown):
        return Line({}, Unknown(f"it may be in the run file, and {named.why}", named.span))
    return Line({}, state.unknown(node))


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
            value = given(converted(stated.value, option), name)
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
    for name, value in parser.fresh.items():
        values.setdefault(name, NamedValue(value))
    for name, cls in parser.nested.items():
        values[name] = NamedValue(filled(state, cls, line.below(name, flat=True), set(), node))
    rest = line.rest or state.unknown(node)
    namespace = Instance(None, values, rest, state.span(node), frozenset(names))
    state.settings.append(namespace)
    return namespace
