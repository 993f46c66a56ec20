"""The keys and values that an engine stores for each token, computed from config.json."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.vllm.engine import engine, language_model, whole_number

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "num_query_groups")
WIDTHS = ("hidden_size", "n_embd", "d_model")
LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
ENGINE_LENGTHS = ("vllm_max_model_length", "vllm_max_model_len")
PROMPT, COMPLETION = "max_prompt_length", "max_completion_length"
"""Their sum is the engine's length in releases that have no argument for it."""

SHARE = "vllm_gpu_memory_utilization"
FULL, WINDOWED = "full_attention", ("sliding_attention", "chunked_attention")

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "fp8": 1, "fp8_e4m3": 1, "fp8_e5m2": 1}


class KvCache(Struct, frozen=True):
    """The cache of one model and one engine.

    `full` layers store every token, `windowed` layers the last `window` tokens, others nothing. A
    token takes `values` numbers of `width` bytes per layer. `length` is the longest request, in
    tokens, that the engine accepts, `length_from` its source; `share` is the engine's share of the
    GPU's memory, None if the run does not set it.
    """

    full: int
    windowed: int
    window: int
    kv_heads: int
    head_size: int
    values: int
    dtype: str
    width: int
    length: int
    length_from: str
    share: float | None

    @property
    def layers(self) -> int:
        """The number of layers that store anything."""
        return self.full + self.windowed

    def bytes(self, tokens: int, parallel: int = 1) -> int:
        """The bytes of one request of `tokens` tokens on each of the `parallel` GPUs."""
        stored_tokens = self.full * tokens + self.windowed * min(tokens, self.window)
        split = min(parallel, self.kv_heads) if self.kv_heads else 1
        return stored_tokens * self.values * self.width // max(1, split)

    @property
    def longest(self) -> int:
        """The bytes of one request of the longest length, on one GPU."""
        return self.bytes(self.length)


def kv_cache(facts: Facts) -> KvCache:
    """The cache of the policy. Raises `Unavailable` if config.json does not have its sizes."""
    _, model = language_model(facts)
    layers = _first_count(model, LAYERS)
    if not layers:
        raise Unavailable("config.json does not say how many layers there are")
    heads = _first_count(model, HEADS)
    kv_heads = _first_count(model, KV_HEADS) or heads
    latent = _first_count(model, ("kv_lora_rank",))
    size = _first_count(model, ("head_dim",))
    width = _first_count(model, WIDTHS)
    if not latent and not (kv_heads and (size or (width and heads))):
        raise Unavailable("config.json does not say how large its attention heads are")
    size = size or (width // heads if heads else 0)
    values = latent + _first_count(model, ("qk_rope_head_dim",)) if latent else 2 * kv_heads * size
    full, windowed = _attending(model, layers)
    dtype = _dtype(facts, model)
    length, length_from = _length(facts, model)
    share = facts.run.number(SHARE)
    return KvCache(
        full, windowed, _first_count(model, ("sliding_window", "attention_chunk_size")),
        0 if latent else kv_heads, size, values, dtype, BYTES.get(dtype, 2), length, length_from,
        share,
    )  # fmt: skip


def _attending(model: Mapping[str, Json], layers: int) -> tuple[int, int]:
    """The number of layers that store every token, and of those that store a window."""
    shared = _first_count(model, ("num_kv_shared_layers",))
    kinds = model.get("layer_types")
    if isinstance(kinds, list) and len(kinds) == layers:
        unshared = kinds[: layers - shared]
        return unshared.count(FULL), sum(unshared.count(kind) for kind in WINDOWED)
    window = _first_count(model, ("sliding_window",)) and model.get("use_sliding_window", True)
    every = _first_count(model, ("sliding_window_pattern",))
    if window and every > 1:
        return layers // every, layers - layers // every
    if window and model.get("model_type") in ("mistral", "phi3", "starcoder2"):
        return 0, layers
    every = _first_count(model, ("full_attention_interval",))
    return (layers // every if every else layers - shared), 0


def _dtype(facts: Facts, model: Mapping[str, Json]) -> str:
    dtype = facts.run.arguments.get("vllm_kv_cache_dtype")
    if isinstance(dtype, str) and dtype != "auto":
        return dtype
    for mapping in (model, facts[model_config].mapping()):
        for key in ("dtype", "torch_dtype"):
            if isinstance(mapping.get(key), str):
                return str(mapping[key])
    return "bfloat16"


def _length(facts: Facts, model: Mapping[str, Json]) -> tuple[int, str]:
    for key in ENGINE_LENGTHS:
        number = facts.run.number(key)
        if number and number > 0:
            return int(number), key
    run_engine = facts.get(engine)
    if (
        run_engine
        and PROMPT in run_engine.fields
        and not set(ENGINE_LENGTHS) & set(run_engine.fields)
    ):
        lengths = [whole_number(facts, run_engine, name) for name in (PROMPT, COMPLETION)]
        if all(lengths):
            return sum(length or 0 for length in lengths), f"{PROMPT} and {COMPLETION}"
    for key in LENGTHS:
        if length := _first_count(model, (key,)):
            return length, f"{key} in config.json"
    raise Unavailable("neither the run nor config.json says how long a request may be")


def _first_count(model: Mapping[str, Json], names: tuple[str, ...]) -> int:
    """The first positive whole number under one of these names, else 0."""
    values = (model.get(name) for name in names)
    return next((value for value in values if type(value) is int and value > 0), 0)
