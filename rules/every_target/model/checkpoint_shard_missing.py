"""A weights file of the checkpoint is missing.

Loading fails with FileNotFoundError, on a cluster after the other shards were read. Or tensors that
are in no file are filled with random numbers, and only a line in the log reports it.

Remedy: download the missing files (`hf download NAME`), or copy the whole folder again.

Versions: every release.

Seen: reproduced: an index that names a shard that is not there, with transformers 4.48.3, 4.57.6
and 5.23.0: "FileNotFoundError: No such file or directory".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.checkpoint import Weights, weights
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for model in models_of(facts):
        stored = model.get(weights)
        if stored:
            place = stored.index or Place(model.folder.path)
            yield from _shards(stored, place)
            yield from _tensors(stored, place)


def _shards(stored: Weights, place: Place) -> Iterator[Finding]:
    if stored.missing:
        number, names = len(stored.missing), ", ".join(stored.missing[:4])
        more = f" and {number - 4} more" if number > 4 else ""
        yield Finding(
            place,
            f"{number} of {len(stored.shards)} weight files are missing: {names}{more}",
        )


def _tensors(stored: Weights, place: Place) -> Iterator[Finding]:
    if stored.absent:
        name, shard = next(iter(stored.absent.items()))
        yield Finding(
            place,
            f"the index names {len(stored.absent)} tensors that their files lack, "
            f"such as {name} in {shard}",
        )


INDEX: dict[str, Json] = {
    "metadata": {"total_size": 64},
    "weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors"},
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"m/config.json": {"model_type": "llama"}, "m/model.safetensors.index.json": INDEX},
            target="m",
            says="1 of 1 weight files are missing: model-00002-of-00002.safetensors",
        ),
        Good({"m/config.json": {"model_type": "llama"}}, target="m"),
    ),
)
