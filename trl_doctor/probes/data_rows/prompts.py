"""Prompts as GRPO and RLOO make tokens of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..child import line
from ..refusal import Refused

WELL = "What is seven times six?"


def renderer(request: dict[str, Any]) -> Callable[[Any], None]:
    """What makes tokens of one prompt, and raises what the libraries raise.

    Raises `Refused` if the run's tokenizer is not here, or cannot do it with a plain question.
    """
    from trl.data_utils import maybe_apply_chat_template

    def render(prompt: Any) -> None:
        text = maybe_apply_chat_template({"prompt": prompt}, tokenizer)["prompt"]
        tokenizer(text=[text], add_special_tokens=False)

    try:
        tokenizer = tokenizer_of(request)
        render(WELL)
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"the run's tokenizer reads no prompt: {line(error)}") from error
    return render


def tokenizer_of(request: dict[str, Any]) -> Any:
    """The run's own tokenizer. Raises `Refused` if it is not here."""
    from transformers import AutoTokenizer

    folders, trusted = request["folders"], bool(request["trust_remote_code"])
    folder = folders.get("tokenizer") or folders.get("policy")
    if not folder:
        raise Refused("the run's tokenizer is not here")
    return AutoTokenizer.from_pretrained(folder, trust_remote_code=trusted)
