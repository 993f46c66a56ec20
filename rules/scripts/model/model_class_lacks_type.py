"""AutoModelForCausalLM has no class for this model.

`AutoModelForCausalLM` knows only some model types. Most models that see images are not among them,
and loading one stops the job with "Unrecognized configuration class".

Remedy: load the model with `AutoModelForImageTextToText`, or pass its name to a TRL that chooses
the class by the architecture (SFT and DPO of trl 0.24.0 or newer).

Versions: the rule reads the installed transformers and trl.

Seen: trl#3099. Reproduced: LLaVA with `AutoModelForCausalLM` and transformers 5.23.0, and by its
name with `SFTTrainer` of trl 0.15.2 and transformers 4.48.3; with `AutoModelForImageTextToText`
both train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import sources
from trl_doctor.facts.library.auto_classes import is_causal
from trl_doctor.facts.rows.images import seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import loading_class

from ..._recorded.scripts import script

CLASS = "AutoModelForCausalLM"
LOADS = (f"model = {CLASS}.from_pretrained(model", "trl.trainer.{}_trainer")
"""What a trainer's source says where it loads every model by this class, and its module."""


def check(facts: Facts) -> Iterator[Finding]:
    policy = seeing(facts)
    document = policy.document("config.json")
    kind = document.get("model_type")
    if not isinstance(kind, str) or document.get("auto_map") is not None:
        raise NotConcerned("the model's own code defines its type")
    by = _loaded_by(facts)
    if is_causal(facts.environment, kind):
        return
    remedy = "load it with AutoModelForImageTextToText, and pass the model"
    passed = facts.run.script.passed
    yield Finding(
        passed.places["model"] if passed else Place(document.path),
        f"{by} loads {policy.label} with {CLASS}, which has no class for the type {kind}",
        remedy=remedy,
    )


def _loaded_by(facts: Facts) -> str:
    """What loads the policy with that class. Raises `NotConcerned` if nothing does."""
    values = facts.run.script.passed
    if values is None:
        raise NotConcerned("the command chooses the class")
    model = values.given("model")
    if loading_class(model) == CLASS:
        return "the script"
    if getattr(model, "value", None) is None:
        raise NotConcerned(f"the model is not loaded with {CLASS}")
    line, home = LOADS
    module = sources(facts.environment).module(home.format(known_trainer(facts)))
    if module is None:
        raise Unavailable("the sources of trl are not on this machine: use --python")
    if line not in module.text:
        raise NotConcerned("the trainer chooses the class by the architecture")
    return f"trl {facts.environment.version('trl')}"


def _model(name: str) -> str:
    return f"from transformers import {name}\nmodel = {name}.from_pretrained('m')\n"


CONFIG = {"m/config.json": {"model_type": "llava", "vision_config": {}}}
GEMMA = {"m/config.json": {"model_type": "gemma3", "vision_config": {}}}
FIVE = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Unrecognized configuration class",
    examples=(
        Bad(
            script("SFT", "model=model", before=_model(CLASS)) | CONFIG,
            "train.py",
            versions=FIVE,
            says="the script loads m with AutoModelForCausalLM, which has no class for the type",
        ),
        Good(
            script("SFT", "model=model", before=_model("AutoModelForImageTextToText")) | CONFIG,
            "train.py",
            versions=FIVE,
        ),
        Good(script("SFT", "model=model", before=_model(CLASS)) | GEMMA, "train.py", versions=FIVE),
        Good(
            script("SFT", "model='m'") | CONFIG,
            "train.py",
            versions=FIVE,
            skipped="the sources of trl are not on this machine",
        ),
    ),
)
