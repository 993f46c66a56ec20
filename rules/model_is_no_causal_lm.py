"""The policy is no causal language model.

SFT, GRPO, RLOO, DPO and KTO train models that continue a text. An encoder with a decoder, or the
class that a release of TRL makes of an encoder or a classifier, has no such way to be called, and
the job dies after it has loaded the model.

Remedy: name a model whose `architectures` says `…ForCausalLM`. If config.json names the wrong
class for these weights, correct it.

Versions: encoders with decoders die in every release. `architectures` decides in releases whose
command hands the model's name to the trainer (all commands of trl 1.12.0 to 1.16.0; GRPO and RLOO
in 0.24.0); the installed one is read.

Seen: ran `trl sft`, `trl grpo`, `trl dpo`, `trl kto`: a T5 dies in trl 0.14.0, 0.24.0 and 1.16.0
("Unrecognized configuration class", "You must specify exactly one of input_ids"); with trl 1.16.0
"'BertForMaskedLM' object has no attribute 'generation_config'", "'LlamaForSequenceClassification'
object has no attribute 'generation_config'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model_class import TRAINED, by_architecture
from trl_doctor.facts.rule import Bad, Good, Rule

ENCODES = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
           "ForQuestionAnswering", "ForPreTraining", "ForMultipleChoice")  # fmt: skip
"""The ends of classes that cannot generate."""


def check(facts: Facts) -> Iterator[Finding]:
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in TRAINED:
        raise NotConcerned(f"{trainer.trainer} trains other models too")
    folder = facts.run.policy
    if isinstance(folder, Unavailable):
        raise folder
    document = folder.get("config.json")
    if document is None:
        raise Unavailable(f"{folder.label} has no config.json that can be read")
    kind, named = document.get("model_type"), document.get("architectures")
    if document.get("is_encoder_decoder") is True:
        yield Finding(
            Place(document.path, "/is_encoder_decoder"),
            f"{kind} is an encoder with a decoder: {trainer.trainer} trains causal language models",
        )
        return
    first = named[0] if isinstance(named, list) and named else None
    if not isinstance(first, str) or not first.endswith(ENCODES):
        return
    if by_architecture(facts, trainer):
        yield Finding(
            Place(document.path, "/architectures"),
            f"trl {facts.environment.version('trl')} makes a {first} of {folder.label}, which "
            f"cannot generate: {trainer.trainer} dies of it",
        )


def _files(trainer: str, **config: Json) -> dict[str, Json]:
    run: Json = {"trainer": trainer, "model_name_or_path": "m"}
    return {"run.json": run, "m/config.json": config}


T5 = _files("sft", model_type="t5", is_encoder_decoder=True, architectures=["T5Model"])
BERT = _files("grpo", model_type="bert", architectures=["BertForMaskedLM"])
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(T5, says="t5 is an encoder with a decoder: SFTTrainer trains causal language models"),
        Bad(BERT, versions={"trl": "1.16.0"}, says="makes a BertForMaskedLM of m"),
        Good(BERT, versions={"trl": "0.14.0"}),
        Good(BERT, versions={"trl": "0.24.0"}, skipped="which class it makes is not known"),
        Good(_files("sft", model_type="llama", architectures=["LlamaForCausalLM"])),
        Good(_files("reward", model_type="bert", architectures=["BertForSequenceClassification"])),
    ),
)
