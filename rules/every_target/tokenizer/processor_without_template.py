"""The chat template is the tokenizer's, not the processor's.

For such a model TRL renders conversations with the processor, and a processor reads
chat_template.jinja (or chat_template.json, or processor_config.json) alone. A template in
tokenizer_config.json is not seen, and the job fails with "this processor does not have a chat
template".

Remedy: write the template to chat_template.jinja in the model's folder.

Versions: trl 0.24.0 and newer with transformers 5; others were not tested.

Seen: reproduced with SFT of trl 1.16.0 and transformers 5.23.0 on a LLaVA, with images and with
texts alone. With the template in chat_template.jinja both train.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.rows.images import seeing
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

OWN = ("chat_template.jinja", "chat_template.json")
SINCE, FIVE = Version("0.24.0"), Version("5.0.0")
TRAINERS = ("sft", "dpo", "kto", "grpo", "rloo")


def check(facts: Facts) -> Iterator[Finding]:
    policy, trl, values = seeing(facts), trl_of(facts), facts.run.script.passed
    transformers = facts.environment.version("transformers")
    if known_trainer(facts) not in TRAINERS or trl is None or trl < SINCE:
        raise NotConcerned("this trainer loads no processor")
    if transformers is None or transformers < FIVE:
        raise Unavailable("what this transformers does with such a template is not known")
    if values is not None and values.has("processing_class"):
        raise NotConcerned("the script passes a processing_class of its own")
    if facts.run.arguments.get("chat_template_path") or any(policy.has(name) for name in OWN):
        return
    if _says(facts, "processor_config.json") or not _says(facts, "tokenizer_config.json"):
        return
    if facts[dataset.kind].conversational:
        yield Finding(
            Place(policy.file("tokenizer_config.json"), "/chat_template"),
            f"the chat template of {policy.label} is only in tokenizer_config.json, and the "
            "processor of a model that takes images does not read it there",
            remedy=f"write it to {OWN[0]} in the model's folder",
        )


def _says(facts: Facts, name: str) -> bool:
    """Whether a file of the policy's folder has a chat template."""
    document = seeing(facts).get(name)
    return document is not None and document.get("chat_template") is not None


RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "dataset_format": "conversational",
}
SEES: dict[str, Json] = {
    "run.json": RUN,
    "m/config.json": {"model_type": "llava", "vision_config": {}},
    "m/tokenizer_config.json": {"chat_template": "{{ messages[0].content }}"},
}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="processor does not have a chat template",
    examples=(
        Bad(SEES, versions=NOW, says="the chat template of m is only in tokenizer_config.json"),
        Good(SEES | {"m/chat_template.jinja": "{{ messages[0].content }}"}, versions=NOW),
        Good({**SEES, "run.json": {**RUN, "dataset_format": "text"}}, versions=NOW),
        Good({**SEES, "m/config.json": {"model_type": "llama"}}, versions=NOW),
    ),
)
