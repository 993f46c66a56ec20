"""What a Python program starts: a DAG of Airflow, Modal, SageMaker, Azure ML, nox, subprocess."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.files.launch import azure_ml, estimators
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.environments import KEYS
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches, of_words
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word

ONLY_SHOWN = frozenset(
    {"print", "echo", "info", "warning", "error", "debug", "write", "add_argument", "Option",
     "ArgumentParser", "add_parser", "field", "Field", "dedent"}
)  # fmt: skip
"""Calls whose texts are for people."""

PARTS = (("cmds", "arguments"), ("command", "args"), ("entrypoint", "command"))
"""Keywords of which the second continues the command of the first, as in a container."""

JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
LARGEST = 2**20
"""Characters of a program that are read."""


def in_python(text: str) -> Iterator[Launch]:
    """What the calls of a program start; nothing if it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text[:LARGEST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    program = _Program(text.split("\n"), _assigned(tree), list(_gpus(tree)))
    known: set[tuple[object, ...]] = set()
    for node in ast.walk(tree):
        for launch in program.all_of(node) if isinstance(node, ast.Call) else ():
            key = (launch.line, launch.script, launch.command, *launch.words)
            if key not in known:
                known.add(key)
                yield launch


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """The names that are assigned once, or are parameters with a default, with their values.

    A function that is called with arguments has others.
    """
    values: dict[str, list[ast.expr]] = {}
    given = _given(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            values.setdefault(node.target.id, []).extend((node.value, node.value))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for name, default in _defaults(node) if node.name not in given else ():
                values.setdefault(name, []).append(default)
    return {name: found[0] for name, found in values.items() if len(found) == 1}


def _given(tree: ast.Module) -> frozenset[str]:
    """The names of what is called with arguments: `train` of `train.remote("x")`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    parts = (part for call in calls if call.args or call.keywords for part in ast.walk(call.func))
    return frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for part in parts
        if isinstance(part, ast.Name | ast.Attribute)
    )


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function that have defaults."""
    own, defaults = function.args.args, function.args.defaults
    for name, value in zip(own[len(own) - len(defaults) :], defaults, strict=True):
        yield name.arg, value


def _gpus(tree: ast.Module) -> Iterator[tuple[int, int, Cluster]]:
    """The GPUs of each function of Modal: `@app.function(gpu="H100:2")`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
        for word in (word for call in calls for word in call.keywords if word.arg == "gpu"):
            if isinstance(word.value, ast.Constant) and isinstance(word.value.value, str):
                count = word.value.value.partition(":")[2] or "1"
                if count.isdigit():
                    yield node.lineno, node.end_lineno or 0, Cluster(gpus_per_node=int(count))


def _scalars(node: ast.expr | None) -> Mapping[str, Json]:
    """The texts and numbers of a dictionary, by its keys."""
    if not isinstance(node, ast.Dict):
        return {}
    pairs = ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key)
    scalars: dict[str, Json] = {}
    for key, value in pairs:
        with suppress(ValueError):
            scalars[str(ast.literal_eval(key))] = ast.literal_eval(value)
    return scalars


def _of_job(started: ast.expr | None, given: Mapping[str, ast.expr]) -> Mapping[str, ast.expr]:
    """The script of a job of Vertex that `run(args=…)` starts."""
    if not isinstance(started, ast.Call) or "args" not in given:
        return {}
    return {word.arg: word.value for word in started.keywords if word.arg == estimators.VERTEX}


class _Program(Struct, frozen=True):
    """The lines of a program, and the values of names that are assigned once.

    `gpus` are those of functions of Modal, each with its first and last line.
    """

    lines: list[str]
    values: dict[str, ast.expr]
    gpus: list[tuple[int, int, Cluster]]

    def all_of(self, call: ast.Call) -> list[Launch]:
        """What a call starts; nothing if names in it are defined by each other."""
        try:
            found = list(self.started(call))
            own = [gpus for first, last, gpus in self.gpus if first <= call.lineno <= last]
            return [replace(each, cluster=own[0]) for each in found] if own else found
        except RecursionError:
            return []

    def started(self, call: ast.Call) -> Iterator[Launch]:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = call.func.id if isinstance(call.func, ast.Name) else name
        if name in ONLY_SHOWN:
            return
        given = {word.arg: self._value(word.value) for word in call.keywords if word.arg}
        shell = self._shell(given)
        for first, second in PARTS:
            if first in given and isinstance(given.get(second), ast.List):
                words = [*self._words(given.pop(first)), *self._words(given.pop(second))]
                yield from of_words(words, shell, Cluster()) if words else ()
        started = self._value(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if words := estimators.command({**given, **_of_job(started, given)}, self._one):
            yield from of_words(words, shell, Cluster())
        arguments = [self._value(argument) for argument in call.args]
        for value in [*arguments, *given.values()]:
            if isinstance(value, ast.Constant | ast.JoinedStr):
                line_end = "\\\n" if name == "split" else "\n"
                yield from self._of_text(value, shell, line_end, _scalars(given.get("inputs")))
            elif words := self._words(value):
                yield from of_words(words, shell, Cluster())
        if len(arguments) > 1 and isinstance(arguments[0], ast.Constant):
            words = list(chain.from_iterable(map(self._one, arguments)))
            if not words[0].text.endswith(".py"):  # copied or mounted, as in `copy(old, new)`
                yield from of_words(words, shell, Cluster())

    def _value(self, node: ast.expr) -> ast.expr:
        return self.values.get(node.id, node) if isinstance(node, ast.Name) else node

    def _shell(self, given: dict[str, ast.expr]) -> Shell:
        """The variables that a call sets for its command, and its folder."""
        shell = Shell()
        if (folder := estimators.folder(given)) is not None:
            word = self._one(folder)[0]
            shell.folder = "" if word.open else word.text
        for value in (given.get(key) for key in KEYS):
            pairs = (
                zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
            )
            for key, set_to in pairs:
                if isinstance(key, ast.Constant):
                    word = self._one(set_to)[0]
                    shell.variables[str(key.value)] = None if word.open else [word]
        return shell

    def _of_text(
        self,
        node: ast.Constant | ast.JoinedStr,
        shell: Shell,
        line_end: str,
        inputs: Mapping[str, Json],
    ) -> Iterator[Launch]:
        """A text for a shell, at its place in the program where it is written without escapes.

        `line_end` is what the end of a line in it means, `inputs` are those of Azure ML.
        """
        text = JINJA.sub(MARK, azure_ml.with_inputs(self._text(node), inputs))
        if " " not in text or not re.search(r"\.py\b|\btrl\b|-m\s", text):
            return
        line = self.lines[node.lineno - 1].encode()[node.col_offset :].decode(errors="replace")
        if (quote := re.match(r"[rbfRBF]*(\"\"\"|'''|\"|')", line)) and "\\" not in text:
            before = (
                self.lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")
            )
            text = " " * (len(before) + quote.end()) + text
        yield from launches(text.replace("\n", line_end), shell, Cluster(), node.lineno)

    def _words(self, node: ast.expr) -> list[Word]:
        """The words of a list; nothing if it is none, or if its first word is not known."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._words(self._value(node.left)), self._value(node.right)
            more = self._words(right) or [Word("", node.lineno, 1, "the program gives it", False)]
            return [*left, *more] if left else []
        if not isinstance(node, ast.List | ast.Tuple) or not node.elts:
            return []
        words = list(chain.from_iterable(map(self._one, node.elts)))
        return words if words[0].text or "executable" in ast.unparse(node.elts[0]) else []

    def _one(self, node: ast.expr) -> Sequence[Word]:
        node = self._value(node)
        if ast.unparse(node) == "sys.executable":
            return [Word("python", node.lineno, node.col_offset + 1, bare=False)]
        if isinstance(node, ast.Starred) and (words := self._words(self._value(node.value))):
            return words
        text = self._text(node)
        place = node.lineno, node.col_offset + 1
        if MARK not in text:
            return [Word(text, *place, bare=False)]
        known = text.replace(MARK, "")
        return [Word(known, *place, "the program gives it", bare=False, marked=text)]

    def _text(self, node: ast.expr) -> str:
        """A text or number as a word, with a `MARK` for each part that is not known."""
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool | bytes | None):
            return str(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-{self._text(node.operand)}"
        if isinstance(node, ast.FormattedValue) and node.format_spec is None:
            node = self._value(node.value)
            return self._text(node) if isinstance(node, ast.Constant) else MARK
        if isinstance(node, ast.JoinedStr):
            return "".join(map(self._text, node.values))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and len(node.args) == 1:
            return self._text(self._value(node.args[0]))
        return MARK
