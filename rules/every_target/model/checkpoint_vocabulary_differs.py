"""config.json and the weights differ in vocabulary size.

transformers creates a model of the size in config.json, and refuses weights of another size. The
job fails when it loads the model. This happens if config.json was copied from another release of
the model, or if tokens were added and only one of the files was saved.

Remedy: set `vocab_size` in config.json to the number of rows that the weights have.

Versions: every release. Weights in safetensors files are examined.

Seen: `trl sft` of 1.16.0 and transformers 5.23.0: "You set `ignore_mismatched_sizes` to `False`,
thus raising an error"; of 0.24.0 (4.57.6) and 0.15.2 (4.48.3): "size mismatch for …".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.embeddings import embedding_rows, head_rows
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.vocabulary_rows import stated_vocabulary
from trl_doctor.facts.rule import Bad, Files, Good, Rule

from ..._recorded.candidate import under
from ..._recorded.candidate import weights as stored


def check(facts: Facts) -> Iterator[Finding]:
    seen = False
    for model in models_of(facts):
        config, saved = model.get(model_config), model.get(weights)
        if config is None or saved is None or config.get("auto_map"):
            continue
        seen = True
        table, head = embedding_rows(saved), head_rows(saved)
        if table is None or (head is not None and head.rows != table.rows):
            continue
        stated = stated_vocabulary(config)
        if stated and stated.size != table.rows:
            place, name = Place(config.path, pointer(*stated.route)), "/".join(stated.route)
            edit = Put(place.file, place.pointer, table.rows)
            yield Finding(
                place,
                f"{name} is {stated.size:,}, but {table.tensor} has {table.rows:,} rows: "
                "the weights are not loaded",
                fix=Fix(f"set {name} to {table.rows}", (edit,), safe=False),
            )
    if not seen:
        raise NotConcerned("no folder has both config.json and weights that can be compared")


def _files(size: int, **tensors: tuple[int, int]) -> Files:
    config: Json = {"model_type": "llama", "vocab_size": size}
    files = {"config.json": config, "model.safetensors": stored(**tensors)}
    run: Json = {"trainer": "sft", "model_name_or_path": "m"}
    return {"run.json": run, **under("m", files)}


TABLE = "model__embed_tokens__weight"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="size mismatch|ignore_mismatched_sizes",
    examples=(
        Bad(
            _files(8, **{TABLE: (6, 2)}),
            says="vocab_size is 8, but model.embed_tokens.weight has 6 rows",
            fixed={"m/config.json": {"model_type": "llama", "vocab_size": 6}},
        ),
        Good(_files(6, **{TABLE: (6, 2)})),
        Good(_files(8, **{TABLE: (6, 2), "lm_head__weight": (8, 2)})),
        Good(
            {
                **_files(6, **{TABLE: (6, 2)}),
                "m/config.json": {"vocab_size": 8, "text_config": {"vocab_size": 6}},
            }
        ),
        Good({"run.json": {"trainer": "sft", "model_name_or_path": "m"}, "m/config.json": {}}),
    ),
)
