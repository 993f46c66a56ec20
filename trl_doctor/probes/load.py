"""Loads what the run names with the real transformers: its tokenizer, checkpoints and adapter.

What one part raises or refuses does not keep the others from being measured.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from .answers.load import LoadAnswer, LoadError, Part
from .child import causes, error_answer
from .loading import adapter, tensors, tokens
from .refusal import Refused

T = TypeVar("T")
ROLES = ("policy", "reference", "reward", "value")


def answer(request: dict[str, Any]) -> LoadAnswer:
    """What each part of the run becomes when it is loaded; no weights are read."""
    roles = [role for role in ROLES if request["folders"].get(role)]
    return LoadAnswer(
        tokenizer=part(tokens.examined, request),
        models={role: part(tensors.examined, request, role) for role in roles},
        adapter=part(adapter.examined, request),
    )


def part(measure: Callable[..., T], *arguments: Any) -> Part[T]:
    """What one part measures, or why it did not."""
    try:
        return Part(measure(*arguments))
    except Refused as reason:
        return Part(refused=str(reason))
    except Exception as error:
        traceback.print_exc()
        raised = LoadError(**vars(error_answer(error)), first=first(error))
        if "trust_remote_code" in raised.message:
            return Part(refused="it needs the folder's own code (auto_map), which may not run here")
        if raised.contained:
            return Part(refused="it asks for something that is not on this machine")
        return Part(raised=raised)


def first(error: BaseException) -> str:
    """The error behind all that followed it: "requires protobuf" is raised after any."""
    *_, root = causes(error)
    return f"{type(root).__name__}: {root}"[:600]
