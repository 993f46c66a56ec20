"""The policy is not a causal language model.

SFT, GRPO, RLOO, DPO, KTO and PPO train models that continue a text. An encoder-decoder model, or
the class that a TRL release creates for an encoder or a classifier, cannot be called that way, and
the job fails after it has loaded the model.

Remedy: name a model whose `architectures` is `…ForCausalLM`. If config.json names the wrong class
for these weights, correct it.

Versions: encoder-decoder models fail in every release. `architectures` matters in releases whose
command passes the model's name to the trainer (all commands of trl 1.12.0 to 1.16.0; GRPO and RLOO
in 0.24.0); the rule reads the installed one.

Seen: reproduced with `trl sft`, `trl grpo`, `trl dpo`, `trl kto`: a T5 fails in trl 0.14.0, 0.24.0
and 1.16.0 ("Unrecognized configuration class", "You must specify exactly one of input_ids"); with
trl 1.16.0 "'BertForMaskedLM' object has no attribute 'generation_config'",
"'LlamaForSequenceClassification' object has no attribute 'generation_config'". A Llama whose
config.json has `is_encoder_decoder: true` trains with `trl kto`: there the class counts. A
script like TRL's example for PPO fails with a T5 in trl 0.12.2: "Unrecognized configuration class".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal, rehearsed, watched
from trl_doctor.facts.model.classes import NO_TEXT, TRAINED, named_to_trainer
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.scripts import script

CAUSAL = ("ForCausalLM", "LMHeadModel")
"""Endings of classes that continue a text, whatever else config.json says."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    ppo = trainer.name == "ppo" and facts.run.script.passed is None
    if trainer.name not in TRAINED and not ppo:
        raise NotConcerned(f"{trainer.trainer} also trains other models")
    folder = facts.run.policy
    if isinstance(folder, Unavailable):
        raise folder
    document = folder.get("config.json")
    if document is None:
        raise Unavailable(f"{folder.label} has no config.json that can be read")
    kind, architectures = document.get("model_type"), document.get("architectures")
    first = architectures[0] if isinstance(architectures, list) and architectures else None
    if ppo and not document.get("is_encoder_decoder"):
        return
    causal = isinstance(first, str) and first.endswith(CAUSAL)
    if document.get("is_encoder_decoder") is True and not causal:
        yield Finding(
            Place(document.path, "/is_encoder_decoder"),
            f"{kind} is an encoder-decoder model: {trainer.trainer} trains only "
            "causal language models",
        )
        return
    if not isinstance(first, str) or not first.endswith(NO_TEXT):
        return
    if watched(facts) and not _fails(facts):
        raise NotConcerned("the model that the program made is examined itself")
    if named_to_trainer(facts, trainer):
        yield Finding(
            Place(document.path, "/architectures"),
            f"trl {facts.environment.version('trl')} creates a {first} for {folder.label}, which "
            f"cannot generate: {trainer.trainer} fails with it",
        )


def _fails(facts: Facts) -> bool:
    """Whether the rehearsed program made its trainer, or a step, and ended there."""
    return rehearsed(facts) and rehearsal(facts).failure is not None


def _files(trainer: str, **config: Json) -> dict[str, Json]:
    run: Json = {"trainer": trainer, "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": config}


T5 = _files("sft", model_type="t5", is_encoder_decoder=True, architectures=["T5Model"])
LOADED = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('m')\n"
)
BERT = _files("grpo", model_type="bert", architectures=["BertForMaskedLM"])
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="For[A-Z][A-Za-z]+' object has no attribute 'generation_config'",
    examples=(
        Bad(
            T5, says="t5 is an encoder-decoder model: SFTTrainer trains only causal language models"
        ),
        Bad(BERT, versions={"trl": "1.16.0"}, says="creates a BertForMaskedLM for m"),
        Good(BERT, versions={"trl": "0.14.0"}),
        Good(BERT, versions={"trl": "0.24.0"}, skipped="which class it makes is not known"),
        Bad(
            _files("ppo", model_type="t5", is_encoder_decoder=True, architectures=["T5Model"]),
            says="t5 is an encoder-decoder model: PPOTrainer trains only causal language models",
        ),
        Good(
            script("SFT", "model=model", before=LOADED)
            | {"m/config.json": {"model_type": "bert", "architectures": ["BertForMaskedLM"]}},
            "train.py",
            versions={"trl": "1.16.0"},
        ),
        Bad(
            script("SFT", "model='m'")
            | {"m/config.json": {"model_type": "bert", "architectures": ["BertForMaskedLM"]}},
            "train.py",
            versions={"trl": "1.16.0"},
            says="creates a BertForMaskedLM for m",
        ),
        Good(_files("ppo", model_type="llama", architectures=["LlamaForCausalLM"])),
        Good(_files("sft", model_type="llama", architectures=["LlamaForCausalLM"])),
        Good(
            _files(
                "kto",
                model_type="llama",
                architectures=["LlamaForCausalLM"],
                is_encoder_decoder=True,
            )
        ),
        Good(_files("reward", model_type="bert", architectures=["BertForSequenceClassification"])),
    ),
)
