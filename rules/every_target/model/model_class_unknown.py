"""config.json names no class that TRL can create.

A TRL trainer that gets the name of a model creates the class that `architectures` names first. If
the key is missing or empty, or transformers has no such class, every job fails before the weights
are read; a class without a head, such as LlamaModel, which `AutoModel` saves, is read and then
fails. Loading the same folder with `AutoModelForCausalLM` works, because that only reads
`model_type`.

Remedy: name the class in config.json: `"architectures": ["LlamaForCausalLM"]` for a model of type
`llama`. Or load the model yourself and pass it to the trainer.

Versions: releases whose trainer creates the class by its name: all of trl 1.12.0 to 1.16.0, GRPO
and RLOO in 0.24.0; the rule reads the installed one. A class name is only compared with an
installed transformers.

Seen: reproduced with trl 1.16.0, SFT and GRPO, and with GRPO of 0.24.0: without `architectures`
"'NoneType' object is not subscriptable", with an empty list "list index out of range", with a
misspelt name "'LlamaConfig' object has no attribute 'auto_map'" and "module transformers has no
attribute LlamaForCausalLLM". SFT of 0.24.0 trains in all three cases. After the fix all train.
LlamaModel and MistralModel with SFT, DPO, GRPO and KTO of 1.16.0: "'LlamaModel' object has no
attribute 'generation_config'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.auto_classes import causal_class, has_class
from trl_doctor.facts.model.classes import TRAINED, named_to_trainer
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

KEY, HEADS = "/architectures", ("HeadModel", "HeadsModel")


def check(facts: Facts) -> Iterator[Finding]:
    trainer, folder = facts.run.trainer, facts.run.policy
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in TRAINED:
        raise NotConcerned(f"{trainer.trainer} does not choose the class by its name")
    if isinstance(folder, Unavailable):
        raise folder
    config = folder.document("config.json")
    if config.get("auto_map") is not None:
        raise NotConcerned("the model brings its own code")
    architectures = config.get("architectures")
    first = architectures[0] if isinstance(architectures, list) and architectures else None
    if not named_to_trainer(facts, trainer):
        return
    headless = isinstance(first, str) and first.endswith("Model") and not first.endswith(HEADS)
    if isinstance(first, str) and not headless and has_class(facts.environment, first):
        return
    by = f"{trainer.trainer} of trl {facts.environment.version('trl')}"
    kind = config.get("model_type")
    usual = causal_class(facts.environment, kind) if isinstance(kind, str) else ""
    if headless and usual in ("", first):
        raise Unavailable(f"whether {first} is a language model is not known")
    yield Finding(
        Place(config.path, KEY if "architectures" in config.mapping() else ""),
        f"{first} has no head of a language model: {by} cannot train {folder.label}"
        if headless
        else f"transformers {facts.environment.version('transformers')} has no class {first}, "
        f"which {by} creates for {folder.label}"
        if isinstance(first, str)
        else f"config.json names no class in `architectures`: {by} cannot create {folder.label}",
        fix=Fix(f"name the class {usual}", (Put(config.path, KEY, [usual]),)) if usual else None,
    )


def _files(trainer: str, **config: Json) -> dict[str, Json]:
    run: Json = {"trainer": trainer, "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": {"model_type": "llama", **config}}


NEW, OLD = {"trl": "1.16.0"}, {"trl": "0.15.2"}
SAYS = "names no class in `architectures`: SFTTrainer of trl 1.16.0 cannot create m"
BARE = {"m/config.json": {"model_type": "llama"}}
LOADED = "from transformers import AutoModelForCausalLM\n" + (
    "model = AutoModelForCausalLM.from_pretrained('m')\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="'NoneType' object is not subscriptable|has no attribute 'auto_map'|"
    r"Model' object has no attribute 'generation_config'",
    examples=(
        Bad(_files("sft"), versions=NEW, says=SAYS),
        Bad(_files("sft", architectures=[]), versions=NEW, says=SAYS),
        Bad(script("SFT", "model='m'") | BARE, "train.py", versions=NEW, says=SAYS),
        Good(script("SFT", "model=model", before=LOADED) | BARE, "train.py", versions=NEW),
        Good(_files("sft"), versions=OLD),
        Good(_files("reward"), versions=NEW),
        Good(_files("sft", auto_map={"AutoModelForCausalLM": "m.M"}), versions=NEW),
        Good(
            _files("sft", architectures=["LlamaForCausalLM"]),
            versions=NEW,
            skipped="the sources of transformers are not here",
        ),
    ),
)
