"""A file of weights is damaged or was cut short.

Loading fails after the other shards were read ("incomplete metadata, file not fully covered",
"header too large"). An interrupted download or a full disk leaves such a file.

Remedy: delete the file and download it again (`hf download NAME --force-download`).

Versions: every release: the limits are those of the safetensors format.

Seen: reproduced: a model.safetensors cut to 30,000 bytes, with transformers 4.48.3, 4.57.6 and
5.23.0: "SafetensorError: Error while deserializing header: incomplete metadata, file not fully
covered".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for model in models_of(facts):
        stored = model.get(weights)
        for harm in stored.damaged if stored else ():
            if harm.kind != "pointer":
                yield Finding(Place(harm.path), f"{harm.path.name} {harm.reason}")


CUT = b'\x40\x00\x00\x00\x00\x00\x00\x00{"a":{"dtype":"F32"'
WHOLE = (
    b'\x38\x00\x00\x00\x00\x00\x00\x00{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   ok'
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"m/config.json": {"model_type": "llama"}, "m/model.safetensors": CUT},
            target="m",
            says="model.safetensors",
        ),
        Bad(
            {"m/config.json": {"model_type": "llama"}, "m/model.safetensors": WHOLE[:-1]},
            target="m",
            says="model.safetensors",
        ),
        Good({"m/config.json": {"model_type": "llama"}, "m/model.safetensors": WHOLE}, target="m"),
    ),
)
