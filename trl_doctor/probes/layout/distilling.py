"""What distilling trainers need in a step: a teacher, and completions of the student's own."""

from __future__ import annotations

from typing import Any

from ..loading.adapter import flag
from ..refusal import Refused

TEACHER = "the small student is used as the teacher"
GENERATES = "so that the step generates"
TEACHER_MODEL = "teacher_model_name_or_path"
TEACHER_TOKENIZER = "teacher_tokenizer_name_or_path"
SINGLE = ("gold", "iw_opd")
"""Those that generate one completion of a prompt, where the run does not say another number."""

GROUPED = ("grpo", "rloo", "sdft", "sdpo", *SINGLE)
"""Trainers whose batch holds the completions of whole prompts."""


def settings(stated: dict[str, Any], trainer: str) -> dict[str, tuple[Any, str]]:
    """The arguments that are set in the step of a trainer that distils."""
    roles: dict[str, tuple[Any, str]] = {}
    if stated.get(TEACHER_TOKENIZER):
        roles[TEACHER_TOKENIZER] = (None, TEACHER)
    if trainer == "gold" and stated.get("lmbda") != 0:
        roles["lmbda"] = (1.0, GENERATES)
    return roles


def refuse_servers(arguments: dict[str, Any]) -> None:
    """Raises `Refused` if another program is the teacher."""
    if flag(arguments.get("use_teacher_server")):
        raise Refused("a vLLM server is its teacher (use_teacher_server): no step without one")
