"""The teacher of a distillation is the student itself.

A distillation moves the student towards the teacher's probabilities. Where both have the same
weights there is no difference to learn: the loss and all gradients are 0, and the saved model is
the one that was loaded.

Remedy: give the name of the larger or trained model to `teacher_model`. To learn from answers with
more context (self-distillation), use `SDFTTrainer`.

Versions: every trl with GKD, GOLD, IW-OPD or the distillation trainer. Not reported: models that
are loaded in different ways (quantized, another revision), that the script changes or that get
other weights, and GOLD with `use_uld_loss`, which learns the rows themselves as well.

Seen: reproduced with all four of trl 1.16.0: each step has the loss 0 and the gradient 0; with
other weights for the teacher both are greater.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.script.passed import constructed, passed
from trl_doctor.facts.script.syntax.used_models import may_change_models
from trl_doctor.facts.training.references import weights_of

from ..._recorded.scripts import script

DISTIL = ("gkd", "gold", "distillation", "iw_opd")
HARMLESS = ("dtype", "torch_dtype", "device_map", "attn_implementation", "trust_remote_code")
"""Arguments of `from_pretrained` that leave the weights as they are."""

HARMLESS_CALLS = ("eval", "requires_grad_", "to", "cuda", "train", "gradient_checkpointing_enable")
"""Methods of a model that leave its weights as they are."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in DISTIL:
        raise NotConcerned("only a distillation has a teacher")
    values = passed(facts)
    if not values.has("teacher_model"):
        raise NotConcerned("the script passes no teacher")
    student, teacher = weights_of(values, "model"), weights_of(values, "teacher_model")
    if not student or not teacher:
        raise NotConcerned("the names of the two models are not known")
    as_saved = all(_as_saved(values, name) for name in ("model", "teacher_model"))
    if not as_saved or may_change_models(facts):
        raise NotConcerned("one of the models is loaded in another way, or changed")
    if facts.run.arguments.get("use_uld_loss"):
        raise NotConcerned("GOLD learns the rows themselves as well (use_uld_loss)")
    if student == teacher:
        yield Finding(
            values.places["teacher_model"],
            f"teacher and student are both loaded from {student}: {trainer(facts)} has nothing to "
            "learn, its loss is 0",
        )


def _as_saved(values: Passed, name: str) -> bool:
    """Whether a model has the weights of its files, as far as is known."""
    call = constructed(values.given(name))
    if call is None:
        return True
    calls = {deed.name for deed in call.deeds}
    return not call.rest and calls <= {*HARMLESS_CALLS} and {*call.keywords} <= {*HARMLESS}


MODELS = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m-7B')\n"
    "teacher = AutoModelForCausalLM.from_pretrained('org/m-7B', dtype='bfloat16')\n"
)
BIG = MODELS.replace("teacher = AutoModelForCausalLM.from_pretrained('org/m-7B'",
                     "teacher = AutoModelForCausalLM.from_pretrained('org/m-70B'")  # fmt: skip
QUANTIZED = MODELS.replace("'org/m-7B')", "'org/m-7B', quantization_config=config)")
PRUNED = (f"{MODELS}prune(model)\n", f"{MODELS}model.model.layers = model.model.layers[::2]\n")
TRL = {"trl": "1.16.0"}


def _gkd(before: str) -> dict[str, str]:
    return script("GKD", "model=model, teacher_model=teacher", before=before)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _gkd(MODELS),
            "train.py",
            versions=TRL,
            says="teacher and student are both loaded from org/m-7B",
        ),
        Bad(
            script("GKD", "model='org/m', teacher_model='org/m'"),
            "train.py",
            versions=TRL,
            says="teacher and student are both loaded from org/m:",
        ),
        Good(_gkd(BIG), "train.py", versions=TRL),
        Good(_gkd(QUANTIZED), "train.py", versions=TRL),
        *(Good(_gkd(before), "train.py", versions=TRL) for before in PRUNED),
        Good(script("GKD", "model='org/m', teacher_model='org/big'"), "train.py", versions=TRL),
    ),
)
