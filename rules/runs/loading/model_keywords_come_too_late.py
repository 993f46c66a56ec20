"""`model_init_kwargs` come too late: the model is loaded.

The trainer uses them to load a model by its name. Here the script has loaded the model itself, so
its dtype, attention and quantisation are not those that are written: newer releases log one line,
"The `model_init_kwargs` will be ignored", and train; older ones raise a ValueError.

Remedy: give these keywords to `from_pretrained`, or give the trainer the model's name.

Versions: every release. GRPO of trl 0.19.1 and earlier and DPO of 0.15.2 and earlier fail.

Seen: reproduced with GRPO and DPO, `{"torch_dtype": "bfloat16"}` for a loaded model: GRPO of trl
0.15.2 and 0.19.1 and DPO of 0.15.2 fail: "but your model is already instantiated"; DPO of 0.19.1
and both of 0.24.0 train in float32.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.command_model import LOADING
from trl_doctor.facts.arguments.loading import keywords_for_loaded_model
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script

RAISES = {"grpo": Version("0.19.1"), "dpo": Version("0.15.2")}
"""The last trl that is known to refuse them."""


def check(facts: Facts) -> Iterator[Finding]:
    if not keywords_for_loaded_model(facts):
        return
    last, trl = RAISES.get(known_trainer(facts) or ""), trl_of(facts)
    fails = last is not None and trl is not None and trl <= last
    ending = "the run stops with an error" if fails else "they have no effect"
    yield Finding(
        passed(facts).places["args"],
        f"{LOADING} are given for a model that is loaded already: {ending}",
        severity="error" if fails else None,
    )


LOADED = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
GIVEN = "model_init_kwargs={'dtype': 'bfloat16'}"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    explains="but your model is already instantiated",
    examples=(
        Bad(
            script("GRPO", "model=model", GIVEN, before=LOADED),
            "train.py",
            versions={"trl": "0.24.0"},
            says="model_init_kwargs are given for a model that is loaded already: they have no",
        ),
        Bad(
            script("GRPO", "model=model", GIVEN, before=LOADED),
            "train.py",
            versions={"trl": "0.19.1"},
            says="the run stops with an error",
            severity="error",
        ),
        Good(script("GRPO", "model='org/m'", GIVEN), "train.py"),
        Good(script("GRPO", "model=model", "model_init_kwargs=None", before=LOADED), "train.py"),
    ),
)
