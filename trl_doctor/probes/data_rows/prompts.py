"""Prompts as GRPO and RLOO make tokens of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..child import line
from ..refusal import Refused

WELL = "What is seven times six?"


def renderer(request: dict[str, Any]) -> Callable[[Any], None]:
    """What makes tokens of one prompt, and raises what the libraries raise.

    Raises `Refused` where the run's tokenizer is not here, or cannot do it with a plain question.
    """
    from transformers import AutoTokenizer
    from trl.data_utils import maybe_apply_chat_template

    folders, trusted = request["folders"], bool(request["trust_remote_code"])
    folder = folders.get("tokenizer") or folders.get("policy")
    if not folder:
        raise Refused("the run's tokenizer is not here")

    def render(prompt: Any) -> None:
        text = maybe_apply_chat_template({"prompt": prompt}, tokenizer)["prompt"]
        tokenizer(text=[text], add_special_tokens=False)

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trusted)
        render(WELL)
    except Exception as error:
        raise Refused(f"the run's tokenizer reads no prompt: {line(error)}") from error
    return render
