"""DPO gets a reference model and a peft_config.

With an adapter the reference is the base model without it, so DPO needs no second model and refuses
both together: "You passed both a ref_model and a peft_config". The script fails after both models
were loaded.

Remedy: remove `ref_model`; or set `force_use_ref_model=True` if the reference is another model.

Versions: trl 0.9.2 to 0.27. From 0.29 on DPO takes both.

Seen: MedicalGPT#334. Reproduced with trl 0.24.0 and peft 0.17.1: DPO fails with this error when the
trainer is created; without `ref_model`, and with `force_use_ref_model=True`, it trains.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script

SINCE, UNTIL = Version("0.9.2"), Version("0.28.0")


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    trl = facts.environment.known_version("trl")
    if known_trainer(facts) != "dpo" or not SINCE <= trl < UNTIL:
        raise NotConcerned("only DPO of trl 0.9.2 to 0.27 refuses both")
    both = values.given("ref_model") and values.given("peft_config")
    if not both or not facts.run.flag("use_peft"):  # get_peft_config(…) may give None
        raise NotConcerned("the run does not pass both a reference and a peft_config")
    if not facts.run.flag("force_use_ref_model"):
        yield Finding(
            values.places["ref_model"],
            f"ref_model is given beside a peft_config: DPOTrainer of trl {trl} refuses both",
            remedy="remove ref_model: the base model without its adapter is the reference",
        )


MODEL = (
    "from peft import LoraConfig\nfrom transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
    "other = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
BOTH = "model=model, ref_model=other, peft_config=LoraConfig()"
COPY = BOTH.replace("=other", "=copy.deepcopy(model)")
OLD = {"trl": "0.24.0"}
ASKED = f"{MODEL}from trl import ModelConfig, get_peft_config\n"
ASKING = "model=model, ref_model=other, peft_config=get_peft_config(ModelConfig())"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="both a ref_model and a peft_config",
    examples=(
        Bad(
            script("DPO", BOTH, before=MODEL),
            "train.py",
            versions=OLD,
            says="ref_model is given beside a peft_config: DPOTrainer of trl 0.24.0 refuses both",
        ),
        Good(
            script("DPO", "model=model, peft_config=LoraConfig()", before=MODEL),
            "train.py",
            versions=OLD,
        ),
        Good(script("DPO", ASKING, before=ASKED), "train.py", versions=OLD),
        Bad(
            script("DPO", COPY, before=f"{MODEL}import copy\n"),
            "train.py",
            versions=OLD,
            says="ref_model is given beside a peft_config",
        ),
        Good(script("DPO", BOTH, "force_use_ref_model=True", MODEL), "train.py", versions=OLD),
        Good(script("DPO", BOTH, before=MODEL), "train.py", versions={"trl": "1.16.0"}),
    ),
)
