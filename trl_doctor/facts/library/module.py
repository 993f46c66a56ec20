"""A Python module's source, parsed: its classes, its imports and the fields of dataclasses."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.regular import text_of

LARGEST = 4_000_000
"""A source file of more bytes is not read."""


class Damaged(Unavailable):
    """A source file cannot be read, or is not Python; the message names it."""


class Field(Struct, frozen=True):
    """A field of a dataclass.

    `default` is its source text in the shortest form ("8", "'auto'", "['sigmoid']" for a factory),
    and None for a field without a default. `annotation` is source text too, "" if it is not
    known. `owner` is the class that defines it. A field with `init` false is no argument.
    """

    name: str
    default: str | None
    annotation: str = ""
    owner: str = ""
    init: bool = True

    @property
    def literal(self) -> Json:
        """The value of the default, if its text is a literal of Python; else None."""
        try:
            value: Json = ast.literal_eval(self.default or "None")
        except (ValueError, SyntaxError):
            return None
        return value


class Module:
    """A parsed module: its classes, and what it imports under which name. Raises `Damaged`."""

    def __init__(self, name: str, path: Path, text: str, package: bool = False) -> None:
        self.name, self.path, self.text = name, path, text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            place = f"{path}, line {line}" if line else str(path)
            raise Damaged(f"{place} is not Python: {getattr(error, 'msg', error)}") from error
        self.classes: dict[str, ast.ClassDef] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self._parts = name.split(".") if package else name.split(".")[:-1]
        self._lines: list[bytes] = []
        self._collect(self.tree.body)

    def _collect(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = statement
            elif isinstance(statement, ast.ImportFrom):
                module = self._absolute(statement)
                for alias in statement.names:
                    self.imports[alias.asname or alias.name] = (module, alias.name)
            elif isinstance(statement, ast.If | ast.Try | ast.With):
                self._collect(statement.body)
                self._collect(getattr(statement, "orelse", []))
                for handler in getattr(statement, "handlers", []):
                    self._collect(handler.body)

    def _absolute(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parent = self._parts[: len(self._parts) - statement.level + 1]
        return ".".join([*parent, *([statement.module] if statement.module else [])])

    def own_fields(self, node: ast.ClassDef) -> Iterator[Field]:
        """The fields that a dataclass statement in this module defines."""
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign):
                continue
            if not isinstance(statement.target, ast.Name):
                continue
            annotation = self._source(statement.annotation)
            if "ClassVar" in annotation or "InitVar" in annotation:
                continue
            default, init = self._default(statement.value)
            yield Field(statement.target.id, default, annotation, node.name, init)

    def _default(self, value: ast.expr | None) -> tuple[str | None, bool]:
        if value is None:
            return None, True
        if not (isinstance(value, ast.Call) and _called(value.func) in ("field", "HfArg")):
            return self._source(value), True
        options = {keyword.arg: keyword.value for keyword in value.keywords}
        init = options.get("init")
        takes_part = not (isinstance(init, ast.Constant) and init.value is False)
        if "default" in options:
            return self._source(options["default"]), takes_part
        factory = options.get("default_factory")
        return (self._factory_value(factory) if factory else None), takes_part

    def _factory_value(self, factory: ast.expr) -> str:
        if isinstance(factory, ast.Lambda):
            return self._source(factory.body)
        text = self._source(factory)
        return {"list": "[]", "dict": "{}"}.get(text, f"{text}()")

    def _source(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return repr(node.value)
        short = isinstance(node, ast.Name | ast.Attribute | ast.BinOp | ast.Subscript)
        if not short or node.lineno != node.end_lineno:
            return ast.unparse(node)  # the same text for the same value, whatever the quotes
        self._lines = self._lines or self.text.encode().split(b"\n")
        return self._lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()


def dataclass_head(text: str, name: str) -> str | None:
    """A dataclass statement without its methods; None if this might lose a field.

    Parsing this is four times faster than parsing a whole module like training_args.py.
    """
    start = re.search(rf"^@dataclass\nclass {name}:$", text, re.MULTILINE)
    if not start:
        return None
    end = re.compile(r"^(?! |$|[)\]}#])", re.MULTILINE).search(text, start.end() + 1)
    body = text[start.start() : end.start() if end else len(text)]
    method = re.search(r"^    (?:@|def |async def )", body, re.MULTILINE)
    if not method or re.search(r"^    \w+ *:(?!:)", body[method.start() :], re.MULTILINE):
        return None
    return body[: method.start()]


def read_source(path: Path) -> str:
    """The text of a source file. Raises `Damaged`."""
    try:
        if path.stat().st_size > LARGEST:
            raise Damaged(f"{path} is larger than {LARGEST:,} bytes")
        return text_of(path)
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise Damaged(f"{path} is not UTF-8 at byte {error.start}") from error


def _called(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_file(path: Path) -> bool:
    """Whether there is such a file. Raises `Damaged` if this cannot be determined."""
    try:
        return path.is_file()
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror or error}") from error


def makes_a_dataclass(decorator: ast.expr) -> bool:
    """Whether a decorator is `dataclass`, called or not."""
    return _called(decorator) == "dataclass"
