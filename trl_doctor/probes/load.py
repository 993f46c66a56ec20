"""Loads what the run names with the real transformers: its tokenizer, checkpoints and adapter.

The answer has the parts "tokenizer", "models" (by role) and "adapter". A part that could not be
measured has only "refused", a clause, or "raised": an error as `child.told` gives it, and "first",
the error that came before it.
"""

from __future__ import annotations

import dataclasses
import traceback
from collections.abc import Callable
from typing import Any

from .child import causes, told
from .loading import adapter, tensors, tokens
from .refusal import Refused

ROLES = ("policy", "reference", "reward", "value")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What each part of the run becomes when it is loaded; no weights are read."""
    named = [role for role in ROLES if request["folders"].get(role)]
    return {
        "tokenizer": part(tokens.examined, request),
        "models": {role: part(tensors.examined, request, role) for role in named},
        "adapter": part(adapter.examined, request),
    }


def part(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """What one part measures, or why it did not."""
    try:
        return measure(*arguments)
    except Refused as reason:
        return {"refused": str(reason)}
    except Exception as error:
        traceback.print_exc()
        raised = {**dataclasses.asdict(told(error)), "first": first(error)}
        if "trust_remote_code" in raised["message"]:
            return {"refused": "it needs the folder's own code (auto_map), which may not run here"}
        if raised["network"]:
            return {"refused": "it asks for something that is not on this machine"}
        return {"raised": raised}


def first(error: BaseException) -> str:
    """The error behind all that followed it: "requires protobuf" is said of any."""
    *_, root = causes(error)
    return f"{type(root).__name__}: {root}"[:600]
