"""rope_scaling in config.json lacks a number that it needs.

transformers checks the keys of each kind of scaled positions when it reads config.json. The job
fails when it starts, also when it loads the tokenizer.

Remedy: add the key that the message names, as the model's publisher gives it, or remove
`rope_scaling`.

Versions: transformers 5 with every model type below; 4.48 to 4.57 with llama, qwen2 and gpt_neox.

Seen: transformers 5.23.0, 4.57.6 and 4.48.3, with kinds yarn, linear, dynamic and llama3: "Missing
required keys in `rope_scaling` for 'rope_type'='yarn': {'factor'}". Asked: llama, qwen2, mistral,
gemma2, phi3, olmo2 and gpt_neox; in transformers 4 mistral and gemma2 do not check.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule

ALWAYS = frozenset({"llama", "qwen2", "gpt_neox"})
FROM_5 = ALWAYS | {"mistral", "gemma2", "phi3", "olmo2"}
"""Model types of which it was tried."""

NEEDED = {
    "yarn": ("factor",),
    "linear": ("factor",),
    "dynamic": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
}
KEY, FIRST = "rope_scaling", Version("4.48.0")


def check(facts: Facts) -> Iterator[Finding]:
    release, scaled = facts.environment.known_version("transformers"), False
    if release < FIRST:
        raise NotConcerned(f"what transformers {release} checks was not tried")
    for model in models_of(facts):
        config = model.get(model_config)
        scaling = config.get(KEY) if config else None
        if config is None or not isinstance(scaling, dict):
            continue
        scaled = True
        kind = str(scaling.get("rope_type", scaling.get("type")))
        missing = [key for key in NEEDED.get(kind, ()) if key not in scaling]
        if missing and config.get("model_type") in (FROM_5 if release.major >= 5 else ALWAYS):
            yield Finding(
                Place(config.path, pointer(KEY)),
                f"{KEY} of kind {kind} has no {', '.join(missing)}: transformers {release} does "
                "not read config.json",
            )
    if not scaled:
        raise NotConcerned("no config.json has rope_scaling")


def _files(scaling: Json, kind: str = "qwen2") -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": {"model_type": kind, KEY: scaling}}


NEW, OLD = {"transformers": "5.23.0"}, {"transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Missing required keys in `rope",
    examples=(
        Bad(
            _files({"rope_type": "yarn", "original_max_position_embeddings": 256}),
            versions=NEW,
            says="rope_scaling of kind yarn has no factor",
        ),
        Bad(_files({"type": "linear"}, "llama"), versions=OLD, says="of kind linear has no factor"),
        Bad(
            _files({"rope_type": "llama3", "factor": 8.0}, "llama"),
            versions=OLD,
            says="has no low_freq_factor, high_freq_factor",
        ),
        Good(_files({"rope_type": "yarn", "factor": 4.0}), versions=NEW),
        Good(_files({"type": "linear"}, "mistral"), versions=OLD),
        Good(_files({"rope_type": "default"}), versions=NEW),
        Good(_files(None), versions=NEW),
    ),
)
