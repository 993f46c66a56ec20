"""Tokens, passwords and keys: recognised by names and patterns, and removed from all output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trl_doctor.core.finding import Json

REDACTED = "[redacted]"

_PLAIN = frozenset({bool, int, float})

RULE = "rule"
"""The attribute with the name of a rule: an ordinary word that is a password may be in it."""

SHORT = 2000
"""Characters; the answer about a longer text is not kept."""

SHORTEST = 6
"""Characters; a shorter value is an ordinary word that can occur anywhere."""

_VARIABLE = re.compile(
    r"(?:^|_)(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIALS?|API_?KEY|ACCESS_KEY(?:_ID)?"
    r"|PRIVATE_KEY|SECRET_KEY|AUTH|KEY)$",
    re.IGNORECASE,
)
"""Names of environment variables: HF_TOKEN, WANDB_API_KEY, AWS_SECRET_ACCESS_KEY."""

_KEY = re.compile(
    r"(?:hub|hf|auth|access|api|bearer|session|refresh|wandb)_?token$"
    r"|passw(?:or)?d|passphrase|secret|api_?key|access_?key|private_?key|credential",
    re.IGNORECASE,
)
"""Keys of a run, where `pad_token` and `stop_token` are none."""

_SHAPES = {
    "hf_": r"\bhf_[A-Za-z0-9]{20,}",
    "sk-": r"\bsk-[A-Za-z0-9_-]{20,}",
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    "github_pat_": r"\bgithub_pat_\w{20,}",
    "AKIA": r"\bAKIA[0-9A-Z]{16}\b",
    "ASIA": r"\bASIA[0-9A-Z]{16}\b",
    "xox": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "glpat-": r"\bglpat-[\w-]{20,}",
    "://": r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)",
}
"""What tokens of the Hub, OpenAI, GitHub, AWS, Slack and GitLab look like, and user:password@.

Each has a part that it always contains: a long text is searched for that first, which is a hundred
times faster.
"""


def of_environment(variables: Mapping[str, str]) -> set[str]:
    """The values of environment variables with names of secrets."""
    return {
        value
        for name, value in variables.items()
        if _VARIABLE.search(name) and len(value) >= SHORTEST
    }


def of_run(value: Json, in_env: bool = False) -> Iterator[str]:
    """The values under keys of a run that are names of secrets; in `env`, of secret variables."""
    if isinstance(value, list):
        for item in value:
            yield from of_run(item, in_env)
    for key, inner in value.items() if isinstance(value, dict) else ():
        if _KEY.search(key) or (in_env and _VARIABLE.search(key)):
            yield from (text for text in _texts(inner) if len(text) >= SHORTEST)
        else:
            yield from of_run(inner, in_env or key == "env")


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these values in any escaped form, and without anything like a secret."""
    values = frozenset(secrets)
    return _kept(text, values) if len(text) <= SHORT else _redacted(text, values)


def _forms(secrets: frozenset[str]) -> set[str]:
    """The values as they are written in plain text, JSON and HTML."""
    import json
    from html import escape

    return {form for value in secrets for form in (value, json.dumps(value)[1:-1], escape(value))}


def _redacted(text: str, secrets: frozenset[str]) -> str:
    for form in sorted(_forms(secrets), key=len, reverse=True) if secrets else ():
        text = text.replace(form, REDACTED)
    for part, shape in _SHAPES.items():
        if part in text:
            text = re.sub(shape, REDACTED, text)
    return text


_kept = lru_cache(maxsize=4096)(_redacted)
"""For short texts: a report on many targets repeats them for each target."""


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, (list, dict)):
        for inner in value if isinstance(value, list) else value.values():
            yield from _texts(inner)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield str(value)


def without(value: Any, secrets: Iterable[str]) -> Any:
    """The same data (structs, dataclasses, mappings, tuples, texts), all its texts redacted."""
    return _without(value, frozenset(secrets))


def _without(value: Any, secrets: frozenset[str]) -> Any:
    """A value without a secret is returned itself and not copied: copies take time."""
    if not value or type(value) in _PLAIN:
        return value
    if isinstance(value, str):
        text = redacted(value, secrets)
        return value if text == value else text
    if isinstance(value, Mapping):
        return {_without(key, secrets): _without(inner, secrets) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_without(item, secrets) for item in value]
        unchanged = all(new is old for new, old in zip(items, value, strict=True))
        return value if unchanged else type(value)(items)
    if names := () if isinstance(value, type) else getattr(value, "__struct_fields__", ()):
        from msgspec import structs

        changed = _changed(value, names, secrets)
        return structs.replace(value, **changed) if changed else value
    if names := () if isinstance(value, type) else getattr(value, "__dataclass_fields__", ()):
        import dataclasses

        changed = _changed(value, names, secrets)
        return dataclasses.replace(value, **changed) if changed else value
    return value


def _changed(value: object, names: Iterable[str], secrets: frozenset[str]) -> dict[str, Any]:
    """The attributes of these names that contain secrets, without them."""
    changed = {}
    for name in names:
        if name == RULE:
            continue
        old = getattr(value, name)
        if old and type(old) not in _PLAIN:  # most are not: a call for each would take time
            new = _without(old, secrets)
            if new is not old:
                changed[name] = new
    return changed
