"""vLLM's cache cannot hold one request of the longest length.

vLLM reserves a share of the GPU's memory. What remains of it after the weights is the cache of keys
and values. If one request of the longest length does not fit into that cache, the engine refuses to
start ("the maximum number of tokens that can be stored in KV cache").

Remedy: set vllm_max_model_length to the longest prompt plus completion of the run, or raise
vllm_gpu_memory_utilization.

Versions: colocate mode of every trl that has it (0.18.0). The GPU is the one of `--gpu`. The rule
assumes that vLLM needs 2 GiB beside weights and cache.

Seen: the arithmetic is that of vLLM, from config.json: layers, key/value heads, their size and
type. It was not run on a GPU.
"""

from collections.abc import Iterator
from math import prod

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.engine_memory import SHARE
from trl_doctor.facts.forecast.guesses import WORKING
from trl_doctor.facts.forecast.hardware import hardware
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import in_process, value
from trl_doctor.facts.vllm.kv_cache import kv_cache

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under
from .._recorded.candidate import weights as weights_of

OWN_LENGTH = ("gold", "online_dpo")


def check(facts: Facts) -> Iterator[Finding]:
    engine = in_process(facts)
    if engine.trainer in OWN_LENGTH:
        raise NotConcerned("this trainer's max_length is the length of its engine")
    gpus = facts[hardware]
    cache = facts[kv_cache]
    default = value(facts, engine, SHARE)
    share = facts.run.number(SHARE, default if isinstance(default, int | float) else None)
    if share is None:
        raise NotConcerned(f"this release has no {SHARE}")
    stored = facts[weights].tensors.values()
    model = 2 * sum(prod(tensor.shape) for tensor in stored) // gpus.tensor_parallel
    room = int(share * gpus.card.memory) - model - int(WORKING.usual)
    size = cache.bytes(cache.length, gpus.tensor_parallel)
    if size <= room:
        return
    yield Finding(
        facts.run.place(SHARE),
        f"one request of {cache.length:,} tokens takes {shown(size)} of cache, and vLLM has "
        f"{shown(max(0, room))}",
        evidence=(
            f"{share:.0%} of {shown(gpus.card.memory)}, minus {shown(model)} of weights and "
            f"{shown(int(WORKING.usual))} of working memory",
            f"{cache.length:,} tokens: {cache.length_from}",
        ),
    )


MODEL: dict[str, Json] = {
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "hidden_size": 3584,
    "max_position_embeddings": 131072,
}
FILES = under("model", TOKENIZER, config_files(MODEL), {"model.safetensors": weights_of(a=(8, 8))})
SHORT: dict[str, Json] = {**RUN_VLLM, "vllm_max_model_length": 4096}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN_VLLM, **FILES},
            versions=NEW,
            gpu="T4-16GB",
            says="one request of 131,072 tokens takes 7.0 GiB of cache, and vLLM has 2.4 GiB",
        ),
        Bad(
            {"run.json": {**RUN_VLLM, "trainer": "sdpo"}, **FILES},
            versions=NEW,
            gpu="T4-16GB",
            says="one request of 131,072 tokens takes 7.0 GiB of cache",
        ),
        Good({"run.json": {**RUN_VLLM, "trainer": "gold"}, **FILES}, versions=NEW, gpu="T4-16GB"),
        Good({"run.json": SHORT, **FILES}, versions=NEW, gpu="T4-16GB"),
        Good({"run.json": RUN_VLLM, **FILES}, versions={"trl": "0.24.0"}, gpu="T4-16GB"),
        Good({"run.json": RUN_VLLM, **FILES}, versions=NEW, gpu="H100-80GB"),
        Good({"run.json": RUN_VLLM, **FILES}, versions=NEW),
        Good(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, config_files(MODEL))},
            versions=NEW,
            gpu="T4-16GB",
            skipped="there are no weights",
        ),
    ),
)
