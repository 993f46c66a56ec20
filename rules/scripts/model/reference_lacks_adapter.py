"""The reference model lacks the adapter that was loaded.

The script loads a trained adapter and trains it further, without a reference model of its own.
Older releases then turn the adapter off to get the reference: it is the base model, and not the
model with which the training begins. The first loss of DPO is not 0.693, the divergence of GRPO and
KTO is high from the first step on, and the training pulls the model back to its base.

Remedy: merge the adapter before (`model = model.merge_and_unload()`), save the merged model, which
the new adapter will belong to, and train that one by `peft_config`; or load it twice under two
names, and set `model_adapter_name` and `ref_adapter_name` in DPO and KTO; or install a newer trl,
which copies the loaded adapter for the reference. If the adapter is of an earlier DPO whose
reference was the base model, that is right as it is, and is not reported where its path says so.

Versions: DPO before trl 0.29.0, GRPO and RLOO before 0.27.0, KTO before 1.2.0.

Seen: trl#1340, trl#4723. Reproduced with DPO, KTO and GRPO with trl 0.19.1 and peft 0.17.1, and DPO
with trl 0.24.0: the reference gives the scores of the base model, and the first loss of DPO is
0.701; with trl 1.16.0 it is 0.693.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import releases
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.script.passed import adapted_by, loads_adapter, passed
from trl_doctor.facts.script.trainer_methods import place_of
from trl_doctor.facts.training.references import adapter_path, of_earlier_run

from ..._recorded.scripts import script

UNTIL = {
    "dpo": Version("0.29.0"),
    "kto": Version("1.2.0"),
    "grpo": Version("0.27.0"),
    "rloo": Version("0.27.0"),
}
"""The first release of each trainer that copies a loaded adapter for the reference."""

GROUPED = {"grpo": "GRPOConfig", "rloo": "RLOOConfig"}
"""Trainers that have a reference only where beta is above 0, and their configs."""


def check(facts: Facts) -> Iterator[Finding]:
    values, name = passed(facts), known_trainer(facts) or ""
    trl = facts.environment.known_version("trl")
    if name not in UNTIL or trl >= UNTIL[name]:
        raise NotConcerned("this trainer copies a loaded adapter for the reference, or needs none")
    call = adapted_by(values.given("model"))
    if call is None or not loads_adapter(call):
        raise NotConcerned("the script loads no adapter")
    if values.has("peft_config") or values.has("ref_model"):
        raise NotConcerned("the trainer adds an adapter, or the script has a reference model")
    if of_earlier_run(adapter_path(call)):
        raise NotConcerned("the adapter may be of an earlier run with the same reference")
    named = values.has("ref_adapter_name") or facts.run.arguments.get("ref_adapter_name")
    if named or not _has_reference(facts, name, trl):
        raise NotConcerned("the reference is another adapter, or there is none")
    yield Finding(
        place_of(facts, call),
        f"the reference of {trainer(facts)} is the base model without the loaded adapter: the "
        "training pulls the model back to its base",
        remedy=f"merge the adapter before the training, or install trl {UNTIL[name]} or newer",
    )


def _has_reference(facts: Facts, name: str, trl: Version) -> bool:
    """Whether a reference is asked at all."""
    if name not in GROUPED:
        return not facts.run.flag("reference_free")
    usual = releases.default(trl, GROUPED[name], "beta")
    return facts.run.number("beta", float(usual) if usual else None) != 0


MODEL = (
    "from peft import PeftModel\nfrom transformers import AutoModelForCausalLM\n"
    "base = AutoModelForCausalLM.from_pretrained('org/m')\n"
    "model = PeftModel.from_pretrained(base, 'org/adapter', is_trainable=True)\n"
)
LORA = "from peft import LoraConfig\n"
MERGED = "model.merge_and_unload(), peft_config=LoraConfig()"
OLD, NEW = {"trl": "0.19.1"}, {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("DPO", "model=model", before=MODEL),
            "train.py",
            versions=OLD,
            says="the reference of DPOTrainer of trl 0.19.1 is the base model without the loaded",
        ),
        Bad(
            script("GRPO", "model=model, reward_funcs=len", "beta=0.04", before=MODEL),
            "train.py",
            versions=OLD,
            says="the reference of GRPOTrainer of trl 0.19.1 is the base model",
        ),
        Good(
            script("GRPO", "model=model, reward_funcs=len", "beta=0", before=MODEL),
            "train.py",
            versions=OLD,
        ),
        Good(script("DPO", f"model={MERGED}", before=f"{LORA}{MODEL}"), "train.py", versions=OLD),
        Good(
            script("DPO", "model=model", "ref_adapter_name='ref'", before=MODEL),
            "train.py",
            versions=OLD,
        ),
        Good(script("DPO", "model=model", before=MODEL), "train.py", versions=NEW),
        Good(
            script("DPO", "model=model", before=MODEL.replace("org/", "out/dpo-1/")),
            "train.py",
            versions=OLD,
        ),
        Good(
            script("DPO", "model=model", "reference_free=True", before=MODEL),
            "train.py",
            versions=OLD,
        ),
    ),
)
