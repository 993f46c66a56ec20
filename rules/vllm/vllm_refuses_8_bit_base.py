"""vLLM refuses a base model in 8 bit.

In colocate mode TRL passes the model's quantization to the engine, and vLLM has none for 8 bit:
"vLLM does not support in-flight 8-bit quantization.", after the model is loaded.

Remedy: load the base without quantization. vLLM takes a base in 4 bit, but see the rule
vllm-server-gets-packed-weights for the weights that TRL then sends.

Versions: since trl 0.26.0, in colocate mode. Before, there is no error, and the engine holds the
base without quantization; the weight update that follows was not tested.

Seen: reproduced: trl 1.16.0 with bitsandbytes 0.50.2, a LoRA adapter on an 8-bit base.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import colocated

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under

SINCE = Version("0.26.0")
EIGHT = "load_in_8bit"
LOADING = ("model_init_kwargs", "quantization_config", EIGHT)
SAVED = ("quantization_config", EIGHT)


def check(facts: Facts) -> Iterator[Finding]:
    if colocated(facts).trl < SINCE:
        raise NotConcerned(f"trl before {SINCE} does not pass the quantization to vLLM")
    if place := _place(facts):
        yield Finding(place, f"{EIGHT} is on, but vLLM refuses a base model in 8 bit")


def _place(facts: Facts) -> Place | None:
    run, config = facts.run, facts.get(model_config)
    if run.flag(EIGHT):
        return run.place(EIGHT)
    if _at(run.arguments.get(LOADING[0]), LOADING[1:]) is True:
        return run.place(*LOADING)
    if config and config.get(*SAVED) is True:
        return Place(config.path, pointer(*SAVED))
    return None


def _at(value: Json, keys: tuple[str, ...]) -> Json:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


ON: dict[str, Json] = {**RUN_VLLM, "use_peft": True, EIGHT: True}
SAVED_IN_8 = config_files({"quantization_config": {EIGHT: True, "quant_method": "bitsandbytes"}})
NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad({"run.json": ON}, versions=NEW, says="load_in_8bit is on, but vLLM refuses a base"),
        Bad(
            {
                "run.json": {
                    **RUN_VLLM,
                    "model_init_kwargs": {"quantization_config": {EIGHT: True}},
                }
            },
            versions={"trl": "0.26.0"},
            says="load_in_8bit is on",
        ),
        Bad(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, SAVED_IN_8)},
            versions=NEW,
            says="load_in_8bit is on",
        ),
        Good({"run.json": ON}, versions={"trl": "0.25.1"}),
        Good({"run.json": {**ON, "vllm_mode": "server"}}, versions=NEW),
        Good({"run.json": {**ON, "use_vllm": False}}, versions=NEW),
        Good({"run.json": {**ON, EIGHT: False, "load_in_4bit": True}}, versions=NEW),
    ),
)
