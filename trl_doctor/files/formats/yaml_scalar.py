"""Scalars of YAML 1.1 as PyYAML's safe_load reads them, which TRL's command line uses."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from trl_doctor.core.finding import Json

Type: TypeAlias = Literal[
    "null", "bool", "int", "float", "str", "timestamp", "merge", "value", "binary"
]
Quote: TypeAlias = Literal["", "'", '"']

_DIGITS = "[0-9][0-9_]*"
_WORDS: dict[str, Type] = {
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), "null"),
    **{
        form: "bool"
        for word in ("yes", "no", "true", "false", "on", "off")
        for form in (word, word.title(), word.upper())
    },
    "<<": "merge",
    "=": "value",
}
_NUMBERS: tuple[tuple[Type, re.Pattern[str]], ...] = (
    (
        "float",
        re.compile(
            rf"[-+]?{_DIGITS}\.[0-9_]*(?:[eE][-+][0-9]+)?"
            rf"|\.{_DIGITS}(?:[eE][-+][0-9]+)?"
            rf"|[-+]?{_DIGITS}(?::[0-5]?[0-9])+\.[0-9_]*"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
    ),
    (
        "int",
        re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*)"),
    ),
    (
        "timestamp",
        re.compile(
            r"\d{4}-\d\d-\d\d"
            r"|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?"
            r"(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?",
            re.ASCII,
        ),
    ),
)
_FIRST = frozenset("-+.0123456789")
_TRUE = ("yes", "true", "on")
_FALSE = ("no", "false", "off")

# patterns for writing; `re` compiles and keeps them where the first value is written
_SAFE_PLAIN = r"(?a)[A-Za-z0-9_./<(+^$](?:[A-Za-z0-9_./<>()|+=@^$*; -]*[A-Za-z0-9_./>)])?"
_LIKE_A_NUMBER = r"[0-9.+][0-9a-fA-Fox_.+-]*"
_UNPRINTABLE = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"


def plain_type(text: str) -> Type:
    """The type of an unquoted scalar: `5e-6` is a str, `no` a bool, `1:30` an int of base 60."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return "str"
    return next((name for name, form in _NUMBERS if form.fullmatch(text)), "str")


def value(text: str, type: Type) -> Json:
    """The value of a scalar of that type; timestamps stay as they are written.

    Raises `ValueError` if the text is none of that type.
    """
    if type == "null":
        return None
    if type in ("str", "timestamp"):
        return text
    if type == "bool" and text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    if type == "int":
        return _int(text.replace("_", ""))
    if type == "float":
        return _float(text.replace("_", "").lower())
    raise ValueError(f"{text!r} is no {type}")


def scalar_text(value: Json, quote: Quote = "") -> str:
    """A scalar on one line with this value; text gets the quotes of `quote` if possible."""
    if isinstance(value, str):
        return _written_text(value, quote)
    if isinstance(value, float):
        return _written_float(value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _int(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits.startswith("0"):
        return sign * int(digits, 8)
    number = 0
    for digit in digits.split(":"):
        number = number * 60 + int(digit)
    return sign * number


def _float(text: str) -> float:
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    number, weight = 0.0, 1
    for digit in reversed(digits.split(":")):
        number += float(digit) * weight
        weight *= 60
    return sign * number


def _written_float(value: float) -> str:
    text = repr(value)
    if text.lstrip("-") in ("inf", "nan"):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    point = "" if "." in mantissa else ".0"
    plus = "" if exponent.startswith("-") else "+"
    return f"{mantissa}{point}e{plus}{exponent.lstrip('+')}"


def _written_text(text: str, quote: Quote) -> str:
    if not quote and _is_plain(text):
        return text
    if quote == "'" and text and not re.search(_UNPRINTABLE, text):
        return "'" + text.replace("'", "''") + "'"
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + re.sub(_UNPRINTABLE, _escape, quoted) + '"'


def _is_plain(text: str) -> bool:
    if not re.fullmatch(_SAFE_PLAIN, text) or text.startswith("..."):
        return False
    return plain_type(text) == "str" and not re.fullmatch(_LIKE_A_NUMBER, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
