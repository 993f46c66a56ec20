"""The index of the weights names a file outside its folder.

transformers joins the names without a check and loads whatever file is there: weights of another
model, or a file of yours that somebody wants to read.

Remedy: do not use this folder until you know who wrote its index. The names of the shards must be
plain file names.

Versions: transformers up to 5.23.0 follows such a name.

Seen: transformers#46097; reproduced: an index with "../outside/secret.safetensors" loads without a
warning in transformers 4.48.3, 4.57.6 and 5.23.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for model in models_of(facts):
        stored = model.get(weights)
        for shard, reason in stored.outside.items() if stored else ():
            place = stored.index if stored and stored.index else Place(model.folder.path)
            yield Finding(place, f"the index names {shard!r} as a weights file: it {reason}")


def _index(shard: str) -> dict[str, Json]:
    return {"weight_map": {"model.norm.weight": shard}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {
                "m/config.json": {"model_type": "llama"},
                "m/model.safetensors.index.json": _index("../secret.safetensors"),
            },
            target="m",
            says="leads out of the folder",
        ),
        Bad(
            {
                "m/config.json": {"model_type": "llama"},
                "m/model.safetensors.index.json": _index("/etc/secret.safetensors"),
            },
            target="m",
            says="is an absolute path",
        ),
        Good(
            {
                "m/config.json": {"model_type": "llama"},
                "m/model.safetensors.index.json": _index("model-1.safetensors"),
            },
            target="m",
        ),
    ),
)
