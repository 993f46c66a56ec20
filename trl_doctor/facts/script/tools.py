"""The tools that a script gives to GRPO: functions, and classes of environments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.signatures import signature
from trl_doctor.facts.library import sources
from trl_doctor.facts.library.module import Module, is_file
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed
from trl_doctor.files.document import Document
from trl_doctor.files.source.objects import Class, Function, Instance
from trl_doctor.files.source.values import Many, Plain, Table, Value

TOOLS, ENVIRONMENTS = "tools", "environment_factory"
OWN = ("reset", "get_reward")
"""Methods of an environment that are no tools."""

ARGUMENTS = r"(?s)\n\s*Args:\n(.*?)[\n\s]*(?:Returns:|Raises:|\Z)"
DESCRIBED = r"(?m)^[ \t]*(\w+):"
"""Where transformers looks for the descriptions of arguments in a docstring."""


class Tool(Struct, frozen=True):
    """A function of the script that the model can call, and the argument that passes it."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    argument: str


def given(facts: Facts) -> dict[str, Place]:
    """The arguments that pass tools, with their places; raises `NotConcerned` without any."""
    values = passed(facts)
    names = [name for name in (TOOLS, ENVIRONMENTS) if values.has(name)]
    columns = {name: values.places[name] for name in names if not _empty(values.values[name])}
    if not columns or known_trainer(facts) != "grpo":
        raise NotConcerned("the run is no GRPO with tools")
    return columns


def tools(facts: Facts) -> list[Tool]:
    """The functions and methods of the script that are tools; those of libraries are left out."""
    values, places = passed(facts), given(facts)
    described: list[Tool] = []
    if TOOLS in places:
        listed = values.given(TOOLS)
        items = listed.items if isinstance(listed, Many) else ()
        described += [tool for item in items for tool in _tool(item, TOOLS)]
    for cls in environments(facts).values():
        for name, member in cls.members.items() if isinstance(cls, Class) else ():
            if name not in OWN and not name.startswith("_"):
                described += _tool(member, ENVIRONMENTS)
    return described


def environments(facts: Facts) -> Mapping[str | None, Value]:
    """The environments by name, under None one that has no name; empty if there are none.

    Raises `Unavailable` if the names are not known.
    """
    if ENVIRONMENTS not in given(facts):
        return {}
    value = passed(facts).given(ENVIRONMENTS)
    if not isinstance(value, Table):
        return {None: value} if value is not None else {}
    if value.rest is not None:
        raise Unavailable(f"the names of the environments are not known: {value.rest.why}")
    return {name: entry.value for name, entry in value.entries.items()}


def environment_flaws(facts: Facts) -> list[str]:
    """Why GRPO cannot use the classes of environments, a sentence each."""
    calls = []
    for value in dict.fromkeys(environments(facts).values()):
        cls = value.cls if isinstance(value, Instance) else value
        if isinstance(cls, Class) and (why := _unfit(cls, isinstance(value, Instance))):
            calls.append(f"the environment {cls.node.name} {why}")
    return calls


def flaw(tool: Tool) -> str:
    """Why transformers cannot describe the tool to the model, as a clause; empty if it can."""
    node = tool.node
    text = "" if isinstance(node, ast.Lambda) else (ast.get_docstring(node) or "").strip()
    if not text:
        return "has no docstring"
    block = re.search(ARGUMENTS, text)
    described = re.findall(DESCRIBED, block.group(1)) if block else []
    for argument in _arguments(tool.node):
        if argument.annotation is None:
            return f"has no type hint for its argument {argument.arg}"
        if argument.arg not in described:
            return f"has no line `{argument.arg}: …` under `Args:` in its docstring"
    return ""


def known_templates(facts: Facts, function_name: str) -> list[str]:
    """The chat templates that a function of the installed trl compares with.

    Raises `Unavailable` if its sources do not show them.
    """
    module = sources(facts.environment).module("trl.chat_template_utils")
    body = module.tree.body if module else []
    function = next((node for node in body if getattr(node, "name", "") == function_name), None)
    if module is None or function is None:
        raise Unavailable(f"the installed trl shows no templates in {function_name}")
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    templates = []
    for statement in module.tree.body:
        if isinstance(statement, ast.Assign) and names & set(map(_target, statement.targets)):
            templates += [_text(module, node) for node in ast.walk(statement.value)]
    texts = [text for text in templates if text]
    if not texts:
        raise Unavailable(f"the installed trl shows no templates in {function_name}")
    return texts


def _target(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) and node.id.endswith("chat_template") else ""


def _text(module: Module, node: ast.AST) -> str:
    """The text of a template that a constant is, or that the file has which it names."""
    text = node.value if isinstance(node, ast.Constant) else None
    if not isinstance(text, str):
        return ""
    if not text.endswith(".jinja"):
        return text if "{%" in text else ""
    file = module.path.parent / "chat_templates" / text
    return file.read_text("utf-8") if is_file(file) else ""


def mentions(facts: Facts, *words: str) -> bool:
    """Whether the script itself has one of these words."""
    file = facts.run.file
    return isinstance(file, Document) and any(word.encode() in file.data for word in words)


def _unfit(cls: Class, made: bool) -> str:
    """What keeps GRPO from using it, as a clause; empty if nothing is known."""
    if made and cls.member("__call__") is None and not cls.outside():
        return "is given as an object: give the class, GRPOTrainer makes the objects"
    reset, makes = cls.member("reset"), cls.member("__init__")
    if isinstance(makes, Function) and not makes.decorated:
        wants = signature(makes.node, "__init__", Place(Path()), 1).wants
        if wants and not made:
            return f"cannot be made without {', '.join(wants)}: give a function that makes it"
    if reset is None and not made:
        return "" if cls.outside() else "has no method reset: GRPOTrainer refuses it"
    if isinstance(reset, Function) and not reset.decorated:
        own = reset.node.args
        if len(own.args) == 1 and not (own.kwonlyargs or own.kwarg):
            return "has a reset that takes no columns: write reset(self, **kwargs)"
    return ""


def _empty(value: Value) -> bool:
    return (isinstance(value, Many) and not value.items) or (
        isinstance(value, Plain) and not value.value
    )


def _tool(value: Value, argument: str) -> Iterator[Tool]:
    """A function with its own signature: none that a decorator may replace."""
    if isinstance(value, Function) and not getattr(value.node, "decorator_list", ()):
        yield Tool(value.name, value.node, argument)


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    """All arguments, without a first one that is the object."""
    signature = node.args
    plain = [*signature.posonlyargs, *signature.args]
    if plain and plain[0].arg in ("self", "cls") and plain[0].annotation is None:
        plain = plain[1:]
    rest = [argument for argument in (signature.vararg, signature.kwarg) if argument is not None]
    return [*plain, *signature.kwonlyargs, *rest]
