"""A run whose adapter is added by add_adapter cannot resume.

`model.add_adapter(config)` is transformers' own way to an adapter: the model is no PeftModel. Its
checkpoints have the adapter alone, and the trainer looks for the whole model in them. The script
resumes, and fails when the first part of the training is done: "Can't find a checkpoint index".

Remedy: make the adapter with `peft.get_peft_model(model, config)`, or pass `peft_config=config` to
the trainer.

Versions: transformers 5.23.0; with older releases it is a warning, because it was not tested there.

Seen: transformers#34660. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: the second trainer
fails with this error; with `get_peft_model` it goes on.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import ADDS, passed, with_own_adapter
from trl_doctor.facts.script.trainer_methods import RESUMED, place_of, resumes

from ..._recorded.scripts import script

TESTED = Version("5.0.0")


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    model = with_own_adapter(values.given("model"))
    if model is None or values.has("peft_config"):
        raise NotConcerned("the script adds no adapter to a model of transformers")
    if not resumes(values):
        raise NotConcerned("the script does not resume")
    version = facts.environment.version("transformers")
    yield Finding(
        place_of(facts, model),
        f"the adapter is added by {ADDS}, and the run resumes: its checkpoints have the adapter "
        "alone, and the trainer finds no model in them",
        severity=None if version and version >= TESTED else "warning",
    )


MODEL = (
    "from peft import LoraConfig, get_peft_model\nfrom transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
ADDED = f"{MODEL}model.{ADDS}(LoraConfig(r=8))\n"
WRAPPED = f"{MODEL}model = get_peft_model(model, LoraConfig(r=8))\n"


def _script(before: str, train: str) -> dict[str, str]:
    text = script("SFT", "model=model", before=before)["train.py"].rstrip()
    return {"train.py": f"{text}.train({train})\n"}


NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Can't find a checkpoint index",
    examples=(
        Bad(
            _script(ADDED, f"{RESUMED}=True"),
            "train.py",
            versions=NEW,
            says="the adapter is added by add_adapter, and the run resumes",
        ),
        Bad(
            _script(ADDED, f"{RESUMED}='out/checkpoint-1'"),
            "train.py",
            versions={"trl": "0.24.0", "transformers": "4.57.6"},
            says="the trainer finds no model in them",
            severity="warning",
        ),
        Good(_script(WRAPPED, f"{RESUMED}=True"), "train.py", versions=NEW),
        Good(_script(ADDED, ""), "train.py", versions=NEW),
        Good(_script(ADDED, f"{RESUMED}=None"), "train.py", versions=NEW),
    ),
)
