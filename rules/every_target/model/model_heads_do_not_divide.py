"""The key-value heads do not divide the attention heads.

Each key-value head serves the same number of attention heads. If the numbers in config.json do not
fit, the model is built, the weights load, and the first forward pass fails.

Remedy: correct `num_attention_heads` and `num_key_value_heads` in config.json, or copy the file
again from the original model.

Versions: every release of transformers that has the model type. More key-value heads than attention
heads: transformers 5; 4.48.3 does not fail with them.

Seen: reproduced with transformers 5.23.0 and 4.48.3 for llama, qwen2, mistral, stablelm, gemma2 and
phi3, with 5.23.0 for qwen3: "The size of tensor a (4) must match the size of tensor b (3)";
`trl sft` of trl 1.16.0 ends with it at the first step.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.files import CONFIG
from trl_doctor.facts.rule import Bad, Good, Rule

TRIED = frozenset({"llama", "qwen2", "qwen3", "mistral", "stablelm", "gemma2", "phi3"})
"""The model types for which a forward pass was tried."""
HEADS, SHARED = "num_attention_heads", "num_key_value_heads"


def check(facts: Facts) -> Iterator[Finding]:
    seen = False
    for model in models_of(facts):
        document = model.folder.get(CONFIG)
        if document is None or str(document.get("model_type")) not in TRIED:
            continue
        seen = True
        heads, shared = document.get(HEADS), document.get(SHARED)
        if isinstance(heads, int) and isinstance(shared, int) and not _divides(shared, heads):
            release = facts.environment.version("transformers")
            sure = shared < heads or bool(release and release.major >= 5)
            yield Finding(
                Place(document.path, pointer(SHARED)),
                f"config.json of {model.folder.label}: {HEADS} is {heads}, which {SHARED} {shared} "
                "does not divide: the first forward pass fails",
                severity=None if sure else "warning",
            )
    if not seen:
        raise NotConcerned("no model has a type whose heads are examined")


def _divides(shared: int, heads: int) -> bool:
    return shared < 0 or (shared > 0 and heads % shared == 0)


def _files(**config: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": {"model_type": "llama", **config}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="must match the size of tensor|modulo by zero",
    examples=(
        Bad(
            _files(num_attention_heads=4, num_key_value_heads=3),
            says="num_attention_heads is 4, which num_key_value_heads 3 does not divide",
        ),
        Bad(_files(num_attention_heads=4, num_key_value_heads=0), says="num_key_value_heads 0"),
        Bad(
            _files(num_attention_heads=2, num_key_value_heads=32),
            versions={"transformers": "4.57.6"},
            says="num_attention_heads is 2",
            severity="warning",
        ),
        Good(_files(num_attention_heads=4, num_key_value_heads=2)),
        Good(_files(num_attention_heads=4)),
        Good(_files(model_type="own", num_attention_heads=4, num_key_value_heads=3)),
    ),
)
