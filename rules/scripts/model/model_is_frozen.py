"""All weights of the model are frozen before it is trained.

A loop sets `requires_grad = False` on each parameter of the model, and the trainer gets the model
without an adapter. No weight can learn. With gradient checkpointing, which TRL switches on, some
trainers run to the end, log a loss, and save the model as it was; others fail in the first step.

Remedy: freeze only the parts that are to stay, by their names; or pass a `peft_config`, whose
weights are trained.

Versions: every release. A script that sets `requires_grad` to True somewhere is left alone, and one
that hands the model to a function, gives it another layer, or trains it with callbacks of its own.

Seen: reproduced with SFT of trl 1.16.0: the training ends, and no weight moves. SFT of trl 0.24.0
and 0.15.2: "element 0 of tensors does not require grad".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.frozen_models import trained_though_frozen

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    if passed(facts).derived:
        raise NotConcerned("the trainer is a class of the script's own, which may free weights")
    for statement, model, trainer in trained_though_frozen(facts):
        yield Finding(
            facts[code].place(statement),
            f"all weights of {model} are frozen here, and {trainer} trains it without an adapter: "
            "nothing can learn",
        )


LOADED = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
LOOP = f"{LOADED}for weights in model.parameters():\n    weights.requires_grad = False\n"
SAYS = "all weights of model are frozen here, and SFTTrainer trains it without an adapter"
HEAD = "for weights in model.lm_head.parameters():\n    weights.requires_grad = True\n"
SOME = (
    "for name, weights in model.named_parameters():\n"
    "    if 'head' not in name:\n"
    "        weights.requires_grad = False\n"
)
NAMED = "for n, p in model.named_parameters():\n    p.requires_grad_(False)\nprint(model.dtype)\n"
ADAPTED = "from peft import get_peft_model\nmodel = get_peft_model(model, adapter)\n"


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(script("SFT", "model=model", before=LOOP), "train.py", says=SAYS),
        Bad(
            script("SFT", "model=model", before=f"{LOADED}model.requires_grad_(False)\n"),
            "train.py",
            says=SAYS,
        ),
        Bad(script("SFT", "model=model", before=LOADED + NAMED), "train.py", says=SAYS),
        Good(script("SFT", "model=model", before=LOOP + HEAD), "train.py"),
        Good(script("SFT", "model=model", before=LOADED + SOME), "train.py"),
        Good(script("SFT", "model=model", before=LOOP + ADAPTED), "train.py"),
        Good(script("SFT", "model=model", before=f"{LOOP}add_head(model)\n"), "train.py"),
        Good(script("SFT", "model=model, peft_config=LoraConfig()", before=LOOP), "train.py"),
        Good(script("SFT", "model='org/m'", before=LOOP), "train.py"),
    ),
)
