"""The reference has other weights than the policy begins with.

DPO and KTO hold the policy near the reference. If the policy is loaded from a tuned checkpoint and
the reference is its base, or another model, the training begins far from it: the first loss of DPO
is not 0.693, and it pays to unlearn what the tuning has taught.

Remedy: load both from one checkpoint, or leave `ref_model` out: TRL then copies the policy.

Versions: every trl with DPO and KTO. A reference of other weights can be meant; the rule only
warns, and names that differ by a quantization, a precision or a folder such as `checkpoint-500` are
taken for one model. Not reported: models whose weights the script copies, loads or saves for the
other one itself, and a policy that an earlier DPO or KTO has trained (its path says so: `dpo`,
`pairs`, `round2`, `stage1`), which goes on with the reference of that run.

Seen: reproduced with DPO of trl 0.24.0 and 1.16.0: with a tuned policy and its base as the
reference the first loss is not 0.6931; without `ref_model` it is.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import constructed, passed
from trl_doctor.facts.script.trainer_methods import place_of
from trl_doctor.facts.training.references import (
    gives_weights,
    has_random_weights,
    of_earlier_run,
    weights_of,
)

from ..._recorded.scripts import script

ADDED = re.compile(
    r"[-_](?:unsloth|bnb|[48]bit|nf4|int[48]|fp8|gptq|awq|dynamic|bf16|fp16|fp32|b?float(?:16|32)"
    r"|half|merged|copy)(?![a-z0-9])|/(?:checkpoint-\d+|final|last|best|latest|merged)$",
    re.IGNORECASE,
)
"""What is added to the name of a model that has the same weights in another precision or place."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("dpo", "kto"):
        raise NotConcerned("only DPO and KTO take a reference model")
    values = passed(facts)
    if not values.has("ref_model"):
        raise NotConcerned("the script has no reference model of its own")
    begins, held = weights_of(values, "model"), weights_of(values, "ref_model")
    reference = constructed(values.given("ref_model"))
    if begins and reference is not None and has_random_weights(reference):
        yield Finding(
            place_of(facts, reference),
            f"the policy begins with the weights of {begins}, but its reference has random ones: "
            "from_config reads no weights",
            remedy=f"load it with from_pretrained({begins!r}), or leave ref_model out",
        )
        return
    if not begins or not held or reference is None:
        raise NotConcerned("the names of the two models are not known")
    if of_earlier_run(begins) or gives_weights(facts, values, begins, held):
        raise NotConcerned("the weights of both may be the same, or an earlier run had both")
    if _plain(begins) != _plain(held):
        yield Finding(
            place_of(facts, reference),
            f"the policy begins with the weights of {begins}, but its reference has those of "
            f"{held}: if these differ, the training pulls the policy to {held}",
        )


def _plain(name: str) -> str:
    """The name of a model without its owner, its precision and the folder of a checkpoint."""
    return ADDED.sub("", name.rstrip("/")).rpartition("/")[2].lower()


MODELS = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('out/sft')\n"
    "base = AutoModelForCausalLM.from_pretrained('org/base-7B')\n"
)
RANDOM = MODELS.replace("from_pretrained('org/base-7B')", "from_config(model.config)")
LOADED = "base.load_state_dict(model.state_dict())\n"
SAVED = MODELS.replace("base =", "model.save_pretrained('org/base-7B')\nbase =")
TRL = {"trl": "1.16.0"}


def _both(before: str) -> dict[str, str]:
    return script("DPO", "model=model, ref_model=base", before=before)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("DPO", "model=model, ref_model=base", before=MODELS),
            "train.py",
            versions=TRL,
            says="the policy begins with the weights of out/sft, but its reference has those of "
            "org/base-7B",
        ),
        Bad(
            _both(f"import peft\n{MODELS}model = peft.get_peft_model(model, None)\n"),
            "train.py",
            versions=TRL,
            says="the policy begins with the weights of out/sft, but its reference has those of",
        ),
        Bad(
            script("DPO", "model=model, ref_model=base", before=RANDOM),
            "train.py",
            versions=TRL,
            says="its reference has random ones: from_config reads no weights",
        ),
        Good(
            script("DPO", "model=model, ref_model=base", before=RANDOM + LOADED),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("DPO", "model=model, ref_model=base",
                   before=MODELS.replace("org/base-7B", "out/sft")),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("DPO", "model=model, ref_model=base",
                   before=MODELS.replace("out/sft", "unsloth/base-7B-bnb-4bit")),
            "train.py",
            versions=TRL,
        ),
        Good(script("DPO", "model=model", before=MODELS), "train.py", versions=TRL),
        Good(_both(f"{MODELS}{LOADED}"), "train.py", versions=TRL),
        Good(
            _both(f"import shutil\nshutil.copytree('out/sft', 'org/base-7B')\n{MODELS}"),
            "train.py",
            versions=TRL,
        ),
        Good(_both(SAVED), "train.py", versions=TRL),
        Good(_both(f"{MODELS}sft.save_model('org/base-7B')\n"), "train.py", versions=TRL),
        Good(_both(MODELS.replace("out/sft", "out/dpo/checkpoint-9")), "train.py", versions=TRL),
        Good(_both(MODELS.replace("out/sft", "org/base-7B-bf16")), "train.py", versions=TRL),
        Good(_both(MODELS.replace("out/sft", "org/base-7B/final")), "train.py", versions=TRL),
    ),
)  # fmt: skip
