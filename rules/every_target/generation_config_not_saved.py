"""transformers refuses to save generation_config.json.

The file sets sampling values (`temperature`, `top_p`, `top_k`, …) but does not switch sampling on.
It loads, and the job trains. Saving is checked more strictly, so the job fails at its first
checkpoint, hours after its start.

Remedy: set `do_sample: true` in the model's generation_config.json, or remove the values.

Versions: transformers 4.46.3 to 4.57.6 refuse to save it; 5.23.0 saves it.

Seen: reproduced with `trl sft` with `temperature: 0.6` and no `do_sample`, trl 0.12.2, 0.14.0 and
0.24.0: "ValueError: The generation config instance is invalid", after the last step; `top_p` and
`top_k` give the same error. With `do_sample: true` the run succeeds.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import GENERATION, generation_config
from trl_doctor.facts.rule import Bad, Good, Rule

DEFAULTS: dict[str, Json] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 50,
    "min_p": None,
    "typical_p": 1.0,
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
}
"""The values that only sampling reads, with the default of each."""

FIRST, FREE = Version("4.46.0"), Version("5.0.0")
"""transformers refuses such files from the first release on and before the second."""


def check(facts: Facts) -> Iterator[Finding]:
    if not facts.folder.has(GENERATION):
        raise NotConcerned(f"there is no {GENERATION}")
    release = facts.environment.known_version("transformers")
    if not FIRST <= release < FREE:
        raise NotConcerned(f"transformers {release} saves such files")
    config = facts[generation_config]
    changed = {key: config.get(key) for key, usual in DEFAULTS.items() if config.get(key) != usual}
    changed = {key: value for key, value in changed.items() if value is not None}
    if not changed or config.get("do_sample") is True:
        return
    shown = ", ".join(f"{key} {value}" for key, value in changed.items())
    yield Finding(
        Place(config.path, pointer(next(iter(changed)))),
        f"transformers {release} does not save {GENERATION} of {facts.folder.label}: "
        f"it has {shown}, and do_sample is not true",
        fix=Fix(
            "set do_sample to true", (Put(config.path, pointer("do_sample"), True),), safe=False
        ),
    )


def _files(**values: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": {}, "m/generation_config.json": values}


OLD = {"transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"generation config instance is invalid|GenerationConfig is invalid",
    examples=(
        Bad(
            _files(temperature=0.6),
            versions=OLD,
            says="does not save generation_config.json of m: it has temperature 0.6",
            fixed={"m/generation_config.json": {"temperature": 0.6, "do_sample": True}},
        ),
        Bad(
            _files(top_k=20, do_sample=False),
            versions=OLD,
            says="it has top_k 20",
            fixed={"m/generation_config.json": {"top_k": 20, "do_sample": True}},
        ),
        Good(_files(temperature=0.6, do_sample=True), versions=OLD),
        Good(_files(temperature=1.0, top_k=50), versions=OLD),
        Good(_files(temperature=0.6), versions={"transformers": "5.23.0"}),
        Good(_files(temperature=0.6), skipped="the version of transformers is not known"),
    ),
)
