"""What the functions and classes of an installed library take, from their sources."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from msgspec import Struct

from trl_doctor.facts.library.classes import Sources
from trl_doctor.facts.library.headers import Head, head, imported_from
from trl_doctor.facts.library.surface import absolute, is_module

KEEPS = frozenset(
    ["classmethod", "staticmethod", "abstractmethod", "contextmanager", "no_grad", "lru_cache",
     "cache", "wraps", "transmit_format", "fingerprint_transform", "torch_distributed_zero_first",
     "dataclass", "requires", "auto_docstring", "add_start_docstrings", "add_end_docstrings",
     "inference_mode", "total_ordering", "experimental", "runtime_checkable"]
)  # fmt: skip
"""Decorators after which a function or class takes what it says."""

EMPTY = frozenset(["object", "ABC", "Generic", "Protocol", "PushToHubMixin", "Mapping"])
"""Bases without a constructor and fields."""

OPEN = ("from_pretrained", "from_config", "load_dataset", "BitsAndBytesConfig")
"""What takes any argument by name: nothing is read for it."""

CLASSES_OF_ROWS = ("Dataset", "DatasetDict", "IterableDataset", "IterableDatasetDict")

DEEPEST = 12


class Signature(Struct, frozen=True):
    """The arguments of a function or a class: `open` where it accepts any other by name.

    `plain` are those that can be passed without their names, in their order, `more` says that
    there can be others. `wants` have no default.
    """

    name: str
    plain: tuple[str, ...]
    named: tuple[str, ...]
    wants: tuple[str, ...]
    open: bool = False
    more: bool = False


class Home(Struct, frozen=True):
    """A function or class, and the module that defines it."""

    module: str
    head: Head


def takes_anything(dotted: str) -> bool:
    """Whether a function of this name accepts any argument."""
    return dotted.rpartition(".")[2] in OPEN


@lru_cache(maxsize=512)
def takes(sources: Sources, dotted: str) -> Signature | None:
    """What `package.module.name` or `….Class.method` takes; None if that is not certain."""
    module, *parts = dotted.split(".")
    if module not in sources.packages or takes_anything(dotted):
        return None
    while parts and is_module(sources, f"{module}.{parts[0]}"):
        module = f"{module}.{parts.pop(0)}"
    home = defined(sources, module, parts[0]) if parts else None
    if home is None or len(parts) > 2:
        return None
    if len(parts) == 2:
        return method(sources, home, parts[1], bound=False)
    if isinstance(home.head.node, ast.ClassDef):
        return _constructor(sources, home)
    return _signature(home.head, parts[0], 0)


@lru_cache(maxsize=512)
def defined(sources: Sources, module: str, name: str, depth: int = 0) -> Home | None:
    """The definition that a module has under a name, followed through its imports."""
    text = sources.text(module)
    if text is None or depth > DEEPEST:
        return None
    if own := head(text, name):
        return Home(module, own)
    if re.search(rf"^\s*(?:class|def) {re.escape(name)}\b|^{re.escape(name)}\s*[:=]", text, re.M):
        return None
    places = imported_from(text, name)
    homes = {
        (home.module, home.head.node.name): home
        for relative, there in places
        if (home := defined(sources, absolute(sources, module, relative), there, depth + 1))
    }
    whole = len(homes) == 1 and all(
        "dummy" in relative
        or defined(sources, absolute(sources, module, relative), there, depth + 1)
        for relative, there in places
    )
    return next(iter(homes.values())) if whole else None


def method(sources: Sources, home: Home, name: str, *, bound: bool) -> Signature | None:
    """What a method of a class takes, its own or that of its first base that has it.

    If it is not called on an object (`bound`), it has to be one of the class itself.
    """
    for cls in lineage(sources, home) or ():
        if name in cls.head.body and (header := head(cls.head.body, name, "    ")):
            kinds = {_called(decorator) for decorator in header.decorators}
            if not bound and not kinds & {"staticmethod", "classmethod"}:
                return None
            return _signature(header, name, 0 if "staticmethod" in kinds else 1)
        if re.search(rf"^    {re.escape(name)}\b|__getattr", cls.head.body, re.MULTILINE):
            return None
    return None


def of_rows(sources: Sources, name: str) -> Signature | None:
    """What a method of some class of data sets takes by name; None if that is not certain."""
    signatures = []
    for cls in CLASSES_OF_ROWS:
        home = defined(sources, "datasets", cls)
        if home is None:
            return None
        if f"    def {name}(" in home.head.body:
            header = head(home.head.body, name, "    ")
            signature = _signature(header, name, 1) if header else None
            if signature is None:
                return None
            signatures.append(signature)
    words = dict.fromkeys(
        word for signature in signatures for word in (*signature.plain, *signature.named)
    )
    opened = any(signature.open for signature in signatures)
    return Signature(name, (), tuple(words), (), opened, True) if signatures else None


def lineage(sources: Sources, home: Home, depth: int = 0) -> list[Home] | None:
    """A class and its bases in the order of their search; None if one is not known."""
    node = home.head.node
    if not isinstance(node, ast.ClassDef) or node.keywords or depth > DEEPEST:
        return None
    classes = [home]
    for base in node.bases:
        name = _called(base)
        if name in EMPTY:
            continue
        inner = defined(sources, home.module, name) if isinstance(base, ast.Name) else None
        above = lineage(sources, inner, depth + 1) if inner else None
        if above is None:
            return None
        classes += [parent for parent in above if parent not in classes]
    return classes


def _constructor(sources: Sources, home: Home) -> Signature | None:
    """What a class takes: the arguments of its `__init__`, or its fields."""
    classes, name = lineage(sources, home), home.head.node.name
    if classes is None or any("def __new__" in cls.head.body for cls in classes):
        return None
    for cls in classes:
        if not all(_called(decorator) in KEEPS for decorator in cls.head.decorators):
            return None
        if own := head(cls.head.body, "__init__", "    "):
            return _signature(own, name, 1)
        if "def __init__" in cls.head.body:
            return None
        if any(_called(decorator) == "dataclass" for decorator in cls.head.decorators):
            return _fields(classes[classes.index(cls) :], name)
    return None


def _fields(classes: list[Home], name: str) -> Signature | None:
    """What a dataclass takes: the fields of its bases first."""
    fields: dict[str, bool] = {}
    for cls in reversed(classes):
        decorated = next(
            (decorator for decorator in cls.head.decorators if _called(decorator) == "dataclass"),
            None,
        )
        if decorated is None:
            continue
        own = _own_fields(cls.head.body) if not isinstance(decorated, ast.Call) else None
        if own is None:
            return None
        fields.update(own)
    wants = tuple(field for field, has in fields.items() if not has)
    return Signature(name, tuple(fields), (), wants)


def _own_fields(body: str) -> dict[str, bool] | None:
    """The fields that a class body lists before its methods, and whether each has a default."""
    first = re.search(r"^    (?:@|def |async def |class )", body, re.MULTILINE)
    listed, after = (body[: first.start()], body[first.start() :]) if first else (body, "")
    if re.search(r"^    \w+ *:(?!:)", after, re.MULTILINE):
        return None
    try:
        tree = ast.parse(f"class C:\n{listed}\n    pass\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    assert isinstance(tree.body[0], ast.ClassDef)
    fields = {}
    for line in tree.body[0].body:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        if "ClassVar" in ast.unparse(line.annotation):
            continue
        default = line.value
        values = {word.arg: word.value for word in getattr(default, "keywords", ())}
        if isinstance(default, ast.Call) and _called(default) == "field":
            if isinstance(init := values.get("init"), ast.Constant) and init.value is False:
                continue
            fields[line.target.id] = bool({"default", "default_factory"} & set(values))
        else:
            fields[line.target.id] = default is not None
    return fields


def _signature(head: Head, name: str, skip: int) -> Signature | None:
    """What a function takes without its first arguments; None if it is replaced."""
    node = head.node
    if isinstance(node, ast.ClassDef) or not all(_called(x) in KEEPS for x in head.decorators):
        return None
    arguments = node.args
    plain = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    without = len(plain) - len(arguments.defaults)
    wants = plain[skip : max(skip, without)]
    words = list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    wants += [word.arg for word, default in words if default is None]
    names = tuple(word.arg for word, _ in words)
    more, others = arguments.vararg is not None, arguments.kwarg is not None
    return Signature(name, tuple(plain[skip:]), names, tuple(wants), others, more)


def _called(node: ast.expr) -> str:
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
