"""Answers with its request."""

from __future__ import annotations

from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    return {"asked": request}
