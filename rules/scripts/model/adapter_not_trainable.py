"""The adapter is loaded for inference, not for training.

`PeftModel.from_pretrained` freezes the adapter unless `is_trainable=True` is passed. Then no weight
of the model can learn. DPO fails in its first step; SFT and GRPO run to the end, log losses and
gradients, and save the adapter unchanged.

Remedy: use `PeftModel.from_pretrained(base, adapter, is_trainable=True)`.

Versions: every trl.

Seen: trl#6700, trl#3031. Reproduced with trl 1.16.0 and peft 0.21.2: SFT and GRPO train to the end
with no parameter that requires a gradient; DPO fails in backward. With `is_trainable=True` they
train the adapter. It is a warning if the script has `disable_adapter()`: where its `with` ends,
peft 0.21.2 makes the adapter trainable (peft#3447).
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trl_of
from trl_doctor.facts.script.passed import adapted_by, loads_adapter, passed, switch
from trl_doctor.facts.script.tools import mentions
from trl_doctor.facts.script.trainer_methods import place_of

from ..._recorded.scripts import script

KEY = "is_trainable"
ADDED = Version("0.20.0")
"""From this release on SFTTrainer and RewardTrainer add the adapter of `peft_config`, too."""

PLACE, AUTO_PLACE = 3, 2
"""Of this argument among the values that `from_pretrained` of a class takes without names."""


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    call = adapted_by(values.given("model"))
    if call is None or not loads_adapter(call):
        raise NotConcerned("the script loads no adapter")
    if values.has("peft_config") and not _keeps(facts):
        raise NotConcerned("the trainer adds another adapter")
    deeds = {deed.name for deed in call.deeds}
    place = AUTO_PLACE if "Auto" in call.of else PLACE
    if not switch(call, KEY, place) and not deeds & THAWS:
        yield Finding(
            place_of(facts, call),
            f"{call.of.rpartition('peft.')[2]} loads the adapter without {KEY}=True: no weight "
            "is trained",
            severity="warning" if mentions(facts, DISABLES) else None,
        )


def _keeps(facts: Facts) -> bool:
    """Whether the trainer trains the loaded adapter although it gets a `peft_config`."""
    trl, kind = trl_of(facts), facts.run.trainer
    early = trl is not None and trl < ADDED
    return early and not isinstance(kind, Unavailable) and kind.name in ("sft", "reward")


DISABLES = "disable_adapter"
"""What makes a frozen adapter trainable by the way, where its `with` ends."""

THAWS = frozenset({"set_requires_grad", "set_adapter", "named_parameters", "parameters"})
"""Calls that may make the adapter trainable afterwards."""

MODEL = (
    "from peft import PeftModel\nfrom transformers import AutoModelForCausalLM\n"
    "base = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
FROZEN = f"{MODEL}model = PeftModel.from_pretrained(base, 'org/adapter')\n"
TRAINED = f"{MODEL}model = PeftModel.from_pretrained(base, 'org/adapter', is_trainable=True)\n"
POSITIONAL = f"{MODEL}model = PeftModel.from_pretrained(base, 'org/adapter', 'default', True)\n"
SCORES = (
    "from peft import PeftModelForSequenceClassification as Adapted\n"
    "from transformers import AutoModelForSequenceClassification\n"
    "base = AutoModelForSequenceClassification.from_pretrained('org/m', num_labels=1)\n"
    "model = Adapted.from_pretrained(base, 'org/adapter')\n"
)
LORA = "from peft import LoraConfig\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="does not require grad",
    examples=(
        Bad(
            script("SFT", "model=model", before=FROZEN),
            "train.py",
            versions=TRL,
            says="PeftModel.from_pretrained loads the adapter without is_trainable=True",
        ),
        Bad(
            script("SFT", "model=model, peft_config=LoraConfig()", before=f"{LORA}{FROZEN}"),
            "train.py",
            versions={"trl": "0.15.2"},
            says="no weight is trained",
        ),
        Bad(
            script("Reward", "model=model", before=SCORES),
            "train.py",
            versions=TRL,
            says="PeftModelForSequenceClassification.from_pretrained loads the adapter without",
        ),
        Bad(
            script(
                "SFT", "model=model", before=f"{FROZEN}with model.disable_adapter():\n    pass\n"
            ),
            "train.py",
            versions=TRL,
            says="loads the adapter without is_trainable=True",
            severity="warning",
        ),
        Good(
            script("DPO", "model=model, peft_config=LoraConfig()", before=f"{LORA}{FROZEN}"),
            "train.py",
            versions={"trl": "0.15.2"},
        ),
        Good(script("SFT", "model=model", before=TRAINED), "train.py", versions=TRL),
        Good(script("SFT", "model=base", before=MODEL), "train.py", versions=TRL),
        Good(script("SFT", "model=model", before=POSITIONAL), "train.py", versions=TRL),
        Good(
            script("SFT", "model=model.merge_and_unload()", before=FROZEN), "train.py", versions=TRL
        ),
        Good(
            script("SFT", "model=model", before=f"{FROZEN}model = model.unload()\n"),
            "train.py",
            versions=TRL,
        ),
    ),
)
