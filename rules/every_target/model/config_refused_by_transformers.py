"""This transformers refuses config.json.

It does not know the model type, or a value does not have the type that its config class requires.
The job fails when it starts, on every node.

Remedy: correct the value, or install a transformers that knows the model type.

Versions: model types of any release; types of values from transformers 5 on, whose config classes
check them. The rule reads the installed release.

Seen: reproduced with `trl sft` of trl 1.16.0 and transformers 5.23.0: "Field 'hidden_size' expected
int, got str", likewise for `"tie_word_embeddings": "True"`, `"rms_norm_eps": "1e-5"`, a number of
heads of 2.0 and a size inside `text_config`; there and with 4.57.6 "does not recognize this
architecture" of an unknown type; there and with 4.48.3 "module 'torch' has no attribute
'torch.bfloat16'" of `"torch_dtype": "torch.bfloat16"`, likewise for "bf16".
"""

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments import type_names
from trl_doctor.facts.documents import Document
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.library import model_types
from trl_doctor.facts.model.files import CONFIG
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    names_type = False
    for model in models_of(facts):
        if not model.folder.has(CONFIG):
            continue
        document = model.folder.get(CONFIG)
        if document is not None and isinstance(document.get("model_type"), str):
            names_type = True
            yield from _refused(model, document, str(document.get("model_type")))
    if not names_type:
        raise NotConcerned("no config.json names a model type")


def _refused(facts: Facts, document: Document, kind: str) -> Iterator[Finding]:
    world = facts.environment
    release = f"transformers {world.version('transformers')}"
    if not model_types.has_model_type(world, kind):
        if not document.get("auto_map"):
            place = Place(document.path, "/model_type")
            yield Finding(place, f"{release} does not know the model type {kind}")
        return
    values = document.mapping()
    inside = model_types.checked_fields_inside(world, kind, values)
    checked = [("", values, model_types.checked_fields(world, kind)), *inside]
    for section, section_values, fields in checked:
        for name in ("dtype", "torch_dtype"):
            value = section_values.get(name)
            if isinstance(value, str) and (right := type_names.torch_name(value)):
                place = Place(document.path, pointer(*((section, name) if section else (name,))))
                yield Finding(
                    place,
                    f"{release} refuses config.json of {facts.folder.label}: {name} is {value!r}, "
                    "which is not a dtype of torch",
                    fix=Fix(f"write {right}", (Put(place.file, place.pointer, right),)),
                )
        for name, expected in fields.items():
            value, route = section_values.get(name), (section, name) if section else (name,)
            if value is not None and not model_types.fits(value, expected):
                yield Finding(
                    Place(document.path, pointer(*route)),
                    f"{release} refuses config.json of {facts.folder.label}: {'.'.join(route)} is "
                    f"{value!r:.60}, but must be {ast.unparse(expected)}",
                )


def _files(**config: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": config}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"does not recognize this architecture|Validation error for field"
    r"|module 'torch' has no attribute",
    examples=(
        Bad(
            _files(model_type="llama9"),
            versions={"transformers": "4.57.6"},
            says="transformers 4.57.6 does not know the model type llama9",
        ),
        Bad(
            _files(model_type="qwen3"),
            versions={"transformers": "4.48.3"},
            says="transformers 4.48.3 does not know the model type qwen3",
        ),
        Good(_files(model_type="llama"), versions={"transformers": "4.57.6"}),
        Bad(
            _files(model_type="llama", torch_dtype="torch.bfloat16"),
            versions={"transformers": "4.57.6"},
            says="torch_dtype is 'torch.bfloat16', which is not a dtype of torch",
            fixed={"m/config.json": {"model_type": "llama", "torch_dtype": "bfloat16"}},
        ),
        Good(
            _files(model_type="own", auto_map={"AutoConfig": "own.Config"}),
            versions={"transformers": "4.57.6"},
        ),
        Good(_files(model_type="llama"), skipped="sources of transformers are not here"),
        Good(_files(vocab_size=8)),
    ),
)
