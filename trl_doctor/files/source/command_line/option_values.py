"""The values that argparse makes of the words of a command line."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.files.source.objects import Option
from trl_doctor.files.source.values import Many, Outside, Plain, Unknown, Value

TRUE, FALSE = ("true", "yes", "t", "y", "1", "on"), ("false", "no", "f", "n", "0", "off")
"""What functions like `str2bool` read."""

CASTS = ("builtins.int", "builtins.float", "builtins.bool", "builtins.str")
PATHS = ("pathlib.", "os.path.", "os.fspath")
"""Types that keep the text, as a path."""


def keys(option: Option) -> Iterator[str]:
    """The names under which a command line may give an option."""
    for name in (*option.names, option.target):
        yield name.lstrip("-").replace("-", "_")


def converted(value: Value, option: Option) -> Value:
    """The value of an option as argparse converts it."""
    kind = option.keywords["type"].value if "type" in option.keywords else None
    if option.kind in ("store_true", "store_false"):
        return Plain(option.kind == "store_true")
    name = kind.name if isinstance(kind, Outside) else ""
    if kind is not None and name not in CASTS and not name.startswith(PATHS):
        return _by_function(value, getattr(kind, "name", "the type of the option"))
    count = option.keywords["nargs"].value if "nargs" in option.keywords else Plain("?")
    if isinstance(value, Plain) and not (isinstance(count, Plain) and count.value == "?"):
        value = Many([value])
    if isinstance(value, Many):
        return Many([_cast(item, name) for item in value.items])
    return _cast(value, name)


def _by_function(value: Value, name: str) -> Value:
    """What a function makes of a word; argparse gives it texts only."""
    if not isinstance(value, Plain | Many) or (
        isinstance(value, Plain) and not isinstance(value.value, str)
    ):
        return value
    word = str(value.value).lower() if isinstance(value, Plain) else ""
    if "bool" in name and word in (*TRUE, *FALSE):
        return Plain(word in TRUE)
    return Unknown(f"{name} converts it")


def _cast(value: Value, name: str) -> Value:
    if not isinstance(value, Plain):
        return value
    try:
        if name == "builtins.int":
            return Plain(int(str(value.value)))
        if name == "builtins.float":
            return Plain(float(str(value.value)))
        if name == "builtins.bool":
            return Plain(bool(value.value))
    except ValueError:
        return Unknown(f"{value.value!r} on the command line is not a number")
    return value
