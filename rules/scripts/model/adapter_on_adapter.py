"""The model has an adapter, and the run passes a peft_config.

The model already has an adapter, and `peft_config` adds another one. Newer releases refuse both
together. Older ones merge the first adapter into a base model that is never saved, so the result
cannot be loaded again. SFTTrainer and RewardTrainer to 0.19.1 train the first one, and
`peft_config` has no effect; the same config given twice does no harm there. `get_peft_model` of a
model whose adapter was just loaded makes a new adapter of the same name in its place: what the
loaded one has learned has no effect any more.

Remedy: pass the model with its adapter and no `peft_config`; or pass the base model's name and
`peft_config`.

Versions: trl 1.12.0 to 1.16.0 refuse it. 0.24.0 merges it; before 0.20.0 that depends on the
trainer. What older releases do was read in their code (0.12.2 to 0.24.0), and not run.

Seen: trl#4713. Reproduced with SFT with trl 1.16.0 and peft 0.21.2: it refuses a `PeftModel` with a
`peft_config`; without `peft_config` it trains. trl#872: of an adapter that AutoPeftModelForCausalLM
has loaded nothing is left after `get_peft_model` (peft 0.17.1 and 0.21.2): all `lora_B` are 0.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of
from trl_doctor.facts.script.passed import adapted_by, covered_adapter, passed

from ..._recorded.scripts import script

REFUSED = Version("1.12.0")
ADDED = Version("0.20.0")
"""From this release on SFTTrainer and RewardTrainer add the second adapter, too."""


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if covered := covered_adapter(values.given("model")):
        yield Finding(
            values.places["model"],
            f"get_peft_model makes a new adapter in place of the one that {covered.short} has "
            "loaded: what that has learned has no effect any more",
            remedy="train the loaded adapter (is_trainable=True), or call merge_and_unload() first",
            severity="warning",
        )
        return
    if not values.has("peft_config") or not facts.run.flag("use_peft"):
        raise NotConcerned("the run passes no peft_config")
    call, trl = adapted_by(values.given("model")), trl_of(facts)
    if call is None:
        return
    place, held = values.places["peft_config"], f"the model already has an adapter ({call.short})"
    if trl and keeps(facts, trl):
        if call.argument("peft_config", 1) is values.given("peft_config"):
            return  # the same one twice
        unread = f"SFTTrainer and RewardTrainer of trl {trl} do not read peft_config then"
        yield Finding(place, f"{held}: {unread}", severity="warning")
    else:
        severity: Severity | None = None if trl and trl >= REFUSED else "warning"
        yield Finding(place, f"{held}, and peft_config adds another", severity=severity)


def keeps(facts: Facts, trl: Version) -> bool:
    """Whether the trainer goes on with the adapter that the model has."""
    kind = facts.run.trainer
    return trl < ADDED and not isinstance(kind, Unavailable) and kind.name in ("sft", "reward")


MODEL = (
    "from peft import LoraConfig, get_peft_model\n"
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
ADAPTED = f"{MODEL}model = get_peft_model(model, LoraConfig())\n"
TWICE = f"{MODEL}lora = LoraConfig()\nmodel = get_peft_model(model, lora)\n"
LOADED = (
    "from peft import AutoPeftModelForCausalLM, LoraConfig, get_peft_model\n"
    "model = AutoPeftModelForCausalLM.from_pretrained('sft')\n"
    "model = get_peft_model(model, LoraConfig())\n"
)
MERGED = f"{ADAPTED}model = model.merge_and_unload()\n"
ASKED = f"{ADAPTED}from trl import ModelConfig, get_peft_config\n"
BOTH = "model=model, peft_config=LoraConfig()"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="together with a `peft_config`",
    examples=(
        Bad(
            script("SFT", BOTH, before=ADAPTED),
            "train.py",
            versions=TRL,
            says="the model already has an adapter (get_peft_model)",
        ),
        Bad(
            script("SFT", BOTH, before=ADAPTED),
            "train.py",
            versions={"trl": "0.24.0"},
            says="adds another",
            severity="warning",
        ),
        Bad(
            script("SFT", BOTH, before=ADAPTED),
            "train.py",
            versions={"trl": "0.19.1"},
            says="SFTTrainer and RewardTrainer of trl 0.19.1 do not read peft_config then",
            severity="warning",
        ),
        Bad(
            script("SFT", "model=model", before=LOADED),
            "train.py",
            versions=TRL,
            says="get_peft_model makes a new adapter in place of the one that from_pretrained has",
            severity="warning",
        ),
        Good(
            script(
                "SFT", "model=model", before=LOADED.replace("'sft')", "'sft').merge_and_unload()")
            ),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("SFT", "model=model", before=LOADED[: LOADED.index("model = get")]),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("SFT", "model=model, peft_config=lora", before=TWICE),
            "train.py",
            versions={"trl": "0.19.1"},
        ),
        Good(
            script("SFT", "model=model, peft_config=get_peft_config(ModelConfig())", before=ASKED),
            "train.py",
            versions=TRL,
        ),
        Good(script("SFT", BOTH, before=MODEL), "train.py", versions=TRL),
        Good(script("SFT", BOTH, before=MERGED), "train.py", versions=TRL),
        Good(script("SFT", "model=model", before=ADAPTED), "train.py", versions=TRL),
    ),
)
