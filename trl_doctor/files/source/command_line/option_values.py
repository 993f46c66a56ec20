"""The values that argparse makes of the words of a command line."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.files.source.objects import Option
from trl_doctor.files.source.values import Many, Outside, Plain, Unknown, Value


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
    count = option.keywords["nargs"].value if "nargs" in option.keywords else Plain("?")
    if isinstance(value, Plain) and not (isinstance(count, Plain) and count.value == "?"):
        value = Many([value])
    if isinstance(value, Many):
        return Many([_cast(item, name) for item in value.items])
    return _cast(value, name)


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
