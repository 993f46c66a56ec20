"""FSDP is set to wrap the layers of another model.

`transformer_layer_cls_to_wrap` names the class of the layers that FSDP shards one by one. After a
change of the model the old name often stays in the file: "Could not find the transformer layer
class LlamaDecoderLayer in the model". By then every process has loaded the model.

Remedy: name the class of this model's layers, or leave the key out: accelerate then takes the
classes that the model names itself.

Versions: every accelerate, for models of transformers whose layers this rule knows, also by the
name of a known Hub model that is not on this machine. accelerate
reads the names in its file only with `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP`.

Seen: reproduced with a rehearsal of SFT in two processes, FSDP 2, trl 1.16.0 and accelerate 1.15.0:
a Llama with Qwen2DecoderLayer fails, with LlamaDecoderLayer it trains.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch import fsdp
from trl_doctor.facts.launch.files import (
    Settings,
    accelerate_settings,
    fsdp_settings,
    if_named,
)
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule

OF_TYPE = {
    **{
        "llama": "LlamaDecoderLayer",
        "mistral": "MistralDecoderLayer",
        "gemma": "GemmaDecoderLayer",
    },
    **{"mixtral": "MixtralDecoderLayer", "qwen2": "Qwen2DecoderLayer", "phi3": "Phi3DecoderLayer"},
    **{"qwen3": "Qwen3DecoderLayer", "qwen2_moe": "Qwen2MoeDecoderLayer", "phi": "PhiDecoderLayer"},
    **{"qwen3_moe": "Qwen3MoeDecoderLayer", "gemma2": "Gemma2DecoderLayer", "gpt2": "GPT2Block"},
    **{"gemma3_text": "Gemma3DecoderLayer", "gpt_neox": "GPTNeoXLayer", "opt": "OPTDecoderLayer"},
    **{
        "gpt_oss": "GptOssDecoderLayer",
        "falcon": "FalconDecoderLayer",
        "olmo2": "Olmo2DecoderLayer",
    },
}
"""The class of a layer by the type of the model, where transformers 4.48 to 5.23 has it."""

BY_NAME = {
    r"meta-llama/(?:Meta-)?Llama-(?:2|3|3\.[123])-\d+[Bb](?!.*Vision)": "llama",
    r"Qwen/Qwen2(?:\.5)?-(?:Math-|Coder-)?[\d.]+B(?!-A)": "qwen2",
    r"Qwen/Qwen3-[\d.]+B(?!-A)": "qwen3",
    r"Qwen/Qwen3-\d+B-A\d": "qwen3_moe",
    r"mistralai/Mistral-7B-": "mistral",
    r"google/gemma-2-": "gemma2",
}
"""The type of the models of a name, for those that are on the Hub and not on this machine."""

LAYERS, POLICY = "transformer_layer_cls_to_wrap", "auto_wrap_policy"
BY_LAYERS = "transformer_based_wrap"


def check(facts: Facts) -> Iterator[Finding]:
    layers = [entry for entry in _named(facts) if entry[2]]
    if not layers:
        raise NotConcerned("the run names no layers that FSDP is to wrap")
    own = OF_TYPE.get(_model_type(facts))
    if own is None:
        raise Unavailable("the class of this model's layers is not known")
    for settings, keys, names in layers:
        strangers = [name for name in names if name in OF_TYPE.values()]
        if strangers and own not in names:
            yield Finding(
                settings.place(*keys),
                f"FSDP is set to wrap {' and '.join(strangers)}, but the layers of this model are "
                f"{own}: the run fails",
                remedy=f"write {own}, or leave {keys[-1]} out",
            )


def _model_type(facts: Facts) -> str:
    """The type of the run's model, by its config or by its name. Raises `Unavailable`."""
    policy = facts.run.models.get("policy")
    for name, kind in BY_NAME.items() if policy and facts.get(model_config) is None else ():
        if re.match(name, policy.name if policy else ""):
            return kind
    return str(facts[model_config].get("model_type"))


def _named(facts: Facts) -> Iterator[tuple[Settings, tuple[str, ...], list[str]]]:
    file = if_named(facts, accelerate_settings)
    if file and file.get("distributed_type") == "FSDP" and fsdp.text(file, POLICY) == BY_LAYERS:
        keys = fsdp.route(file, LAYERS)
        yield file, keys, _names(file.get(*keys))
    if own := if_named(facts, fsdp_settings):
        for key in (LAYERS, f"fsdp_{LAYERS}"):
            yield own, (key,), _names(own.get(key))


def _names(value: Json) -> list[str]:
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _files(name: Json, model_type: str) -> dict[str, Json]:
    run: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", "fsdp": "full_shard"}
    settings: Json = {"transformer_layer_cls_to_wrap": name}
    return {
        "run.json": {**run, "fsdp_config": settings},
        "m/config.json": {"model_type": model_type},
    }


WRAP: dict[str, Json] = {"fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}


def _accelerate(name: str, model: str = "m", **others: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": model, "accelerate_config": "acc.yaml"}
    settings: Json = {"fsdp_transformer_layer_cls_to_wrap": name, **WRAP, **others}
    return {
        "run.json": run,
        "acc.yaml": {"distributed_type": "FSDP", "fsdp_config": settings},
        "m/config.json": {"model_type": "qwen3"},
    }


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Could not find the transformer layer class",
    examples=(
        Bad(
            _files(["LlamaDecoderLayer"], "qwen2"),
            says="set to wrap LlamaDecoderLayer, but the layers of this model are Qwen2Decoder",
        ),
        Bad(
            _accelerate("Qwen2DecoderLayer"), says="the layers of this model are Qwen3DecoderLayer"
        ),
        Bad(
            _accelerate("LlamaDecoderLayer", model="Qwen/Qwen3-8B-Base"),
            says="the layers of this model are Qwen3DecoderLayer",
        ),
        Good(_accelerate("LlamaDecoderLayer", model="meta-llama/Llama-3.1-8B-Instruct")),
        Good(_accelerate("Qwen3MoeDecoderLayer", model="Qwen/Qwen3-30B-A3B")),
        Good(
            _accelerate("LlamaDecoderLayer", model="Qwen/Qwen3-VL-8B"),
            skipped="is not in the local cache",
        ),
        Good(
            _accelerate("LlamaDecoderLayer", model="Qwen/Qwen3.5-8B"),
            skipped="is not in the local cache",
        ),
        Good(_accelerate("Qwen3DecoderLayer")),
        Good(_accelerate("Qwen2DecoderLayer", fsdp_auto_wrap_policy=None)),
        Good(_accelerate("Qwen2DecoderLayer", fsdp_auto_wrap_policy="SIZE_BASED_WRAP")),
        Good(_files(["LlamaDecoderLayer"], "ours"), skipped="layers is not known"),
        Good(_files("OurLayer", "qwen2")),
    ),
)
