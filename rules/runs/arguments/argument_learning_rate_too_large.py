"""The learning rate is far too large.

Adam moves each weight by about the learning rate in each step, and most weights of a trained model
are smaller than 0.1. With a large rate the model forgets what it knew within a few steps, and the
run goes on to its end. Usually a minus sign is missing (1e5 in place of 1e-5), or a digit.

Remedy: write a rate between 1e-7 and 1e-3: TRL's own are 2e-5 for SFT, 1e-6 for GRPO, RLOO, DPO and
KTO, and ten times as much for LoRA.

Versions: every release, with the optimizers of the Adam family, which are the default. 1 or more is
told for every model. From 0.01 on (from 0.001 on where GRPO or RLOO train all weights, from 1e-4 on
where DPO, KTO or SimPO do) it is told only for a model of at least 100 million weights by its name
(`Qwen2.5-0.5B`), or whose config.json says a width of 512 or more: small models in tests and trials
do learn at such rates. LoRA is trained at up to 0.002; the rule does not judge other adapters,
which need more, nor a model that a script makes or freezes itself. ORPO, CPO, and DPO with
`rpo_alpha` or an `sft` loss bear more, as they also learn to write the chosen answers.

Seen: `trl sft` of 1.16.0 with a small model: with 1.0 the loss rises from 6.2, which is chance, to
31 in three steps; with 1.0e+5 the gradient is nan in the second. Both runs end with success. A
model of 128 columns that had learnt sums (loss 0.56, chance 5.7), trained on the same rows: with
1e-4 the loss stays, with 0.003 it rises to 1.5, with 0.01 to 4.2 and is worse than before after 12
steps, with 0.1 to 13. Wider models bear less. GRPO of 1.16.0 with 256 columns that had learnt the
same: with 1e-6 the reward rises from 1.02 to 1.16 in 10 steps; with 0.001 it falls to 0.13, and the
loss of the sums rises from 0.39 to 5.1. DPO of 1.16.0 with 192 columns that had learnt sums and
sentences (0.32), 160 steps: with 5e-6 and 5e-5 the loss of the sentences stays; with 1e-4 it rises
to 1.1, and with 2e-4 to 3.4 (chance 3.8), while the rewards look good: the chosen answers become
less likely, too (-12 to -47). LoRA with 2e-4 stays at 0.32. With 2e-4 SimPO rises to 4.4, KTO to
1.3, CPO to 0.6, and ORPO stays.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.measured.step import step_gradients, stepped
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import constructed

KEY, LIMIT = "learning_rate", 1.0
OF_TRAINED, OF_GROUPS, OF_PAIRS = 0.01, 0.001, 1e-4
"""Limits for a trained model of a real size, and where all of its weights are trained by rewards,
or by answers that are compared."""

ADAM = ("adamw", "paged_adamw", "adam_")
"""How the names of the optimizers begin that move each weight by the rate."""

GROUPS = ("grpo", "rloo")
PREFERENCES = (*GROUPS, "dpo", "kto", "cpo")
SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(b|m)(?![a-z\d])", re.IGNORECASE)
TRIAL = re.compile(r"tiny|random|dummy|debug|test|toy", re.IGNORECASE)
"""What the names of models say that are made for trials."""

WIDTHS, LEAST_WIDTH, LEAST_MILLIONS = ("hidden_size", "n_embd", "d_model"), 512, 100

PARTS = re.compile(rb"requires_grad|freez|frozen|unsloth|get_peft_model|add_adapter|PeftModel")
"""What is in a script that trains a part of a model that it has loaded."""

ADAPTED = ", or train an adapter (LoRA), for which this rate is usual"
MORE_THAN_A_HEAD = 8
"""Tensors that a step of the rehearsal moves; a head alone has fewer."""


def check(facts: Facts) -> Iterator[Finding]:
    rate, optimizer = facts.run.number(KEY), facts.run.arguments.get("optim", "adamw")
    if rate is None:
        raise NotConcerned("the run sets no learning rate")
    if not isinstance(optimizer, str) or not optimizer.lower().startswith(ADAM):
        raise NotConcerned("the optimizer is not Adam or one of its relatives")
    name = known_trainer(facts)
    if rate >= LIMIT:
        yield Finding(
            facts.run.place(KEY),
            f"{KEY} is {rate:g}: each step moves every weight by about as much",
            remedy=f"usual rates are {_usual(name, True)}, and larger ones for LoRA",
        )
        return
    whole = not facts.run.flag("use_peft")
    limit = _limit(facts, name) if whole else OF_TRAINED
    if rate < limit or not _is_trained(facts):
        return
    soon = "a trained model forgets what it knew in a few steps"
    if rate < OF_GROUPS:  # a usual rate of LoRA
        soon = "all weights are trained, and the model forgets within some hundred steps"
    yield Finding(
        facts.run.place(KEY),
        f"{KEY} is {rate:g}: {soon}",
        remedy=f"usual rates are {_usual(name, whole)}" + (ADAPTED if rate < OF_GROUPS else ""),
    )


def _limit(facts: Facts, trainer: str | None) -> float:
    """The rate of all weights from which on it is told."""
    if trainer in GROUPS:
        return OF_GROUPS
    given = facts.run.arguments
    losses = str(given.get("loss_type") or "")
    alone = not given.get("rpo_alpha") and "sft" not in losses
    compares = trainer in ("dpo", "kto") or (
        trainer == "cpo" and losses == "simpo" and facts.run.number("cpo_alpha") == 0
    )
    return OF_PAIRS if compares and alone and not _in_part(facts) else OF_TRAINED


def _in_part(facts: Facts) -> bool:
    """Whether a rehearsal has seen that a part of the model is frozen."""
    taken = facts.get(stepped) if rehearsed(facts) else None
    gradients = taken.gradients if taken else None
    return bool(taken and gradients and gradients.elements_trained < taken.parameters)


def _usual(trainer: str | None, whole: bool) -> str:
    if trainer in PREFERENCES:
        return "5e-7 to 5e-6" if whole else "1e-6 to 1e-4"
    return "5e-6 to 5e-5" if whole else "1e-5 to 5e-4"


def _is_trained(facts: Facts) -> bool:
    """Whether a model of a real size is trained as it is, or by LoRA."""
    run = facts.run
    policy = run.models.get("policy")
    if policy is None or TRIAL.search(policy.name):
        return False
    if run.by_class and not _is_whole(facts):
        return False  # the script has frozen a part of it, or can have
    if run.by_class and run.flag("use_peft") and run.arguments.get("lora_r") is None:
        return False  # another adapter
    if not rehearsed(facts):
        try:
            width = next(map(facts[model_config].mapping().get, WIDTHS), None)
        except Unavailable:
            width = None
        if isinstance(width, int):
            return width >= LEAST_WIDTH
    size = SIZE.search(policy.name.rpartition("/")[2])
    millions = float(size[1]) * (1000 if size[2].lower() == "b" else 1) if size else 0
    return millions >= LEAST_MILLIONS


def _is_whole(facts: Facts) -> bool:
    """Whether a script trains its model, or an adapter of it, as the trainer makes it by name."""
    if rehearsed(facts):
        gradients = step_gradients(facts)
        return gradients is not None and gradients.parameters >= MORE_THAN_A_HEAD
    run = facts.run
    model = run.script.passed.given("model") if run.script.passed else None
    if isinstance(getattr(model, "value", None), str):
        return True
    code = run.file.data if run.file and not isinstance(run.file, Unavailable) else b""
    loaded = constructed(model)
    return loaded is not None and loaded.short == "from_pretrained" and not PARTS.search(code)


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}
GRPO: dict[str, Json] = {"trainer": "grpo", "model_name_or_path": "org/real-0.5B-Instruct"}
SCRIPT = """\
from peft import LoraConfig, PromptTuningConfig
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", learning_rate=0.05)
SFTTrainer({model}, args=args, train_dataset=rows{more})
"""
BARE = SCRIPT.format(model='"org/real-7b"', more="")
MADE = SCRIPT.format(model="frozen(AutoModelForCausalLM.from_pretrained('org/real-7b'))", more="")
LORA = SCRIPT.format(model='"org/real-7b"', more=", peft_config=LoraConfig(r=8)")
PROMPT = SCRIPT.format(
    model='"org/real-7b"', more=", peft_config=PromptTuningConfig(num_virtual_tokens=8)"
)
PAIRED = """\
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer
model = AutoModelForCausalLM.from_pretrained("org/real-0.5B")
{more}
args = DPOConfig("out", learning_rate=2e-4)
DPOTrainer(model, args=args, train_dataset=rows{peft})
"""
FORGETS = {"train.py": PAIRED.format(more="", peft="")}
FROZEN = {"train.py": PAIRED.format(more="model.lm_head.requires_grad_(False)", peft="")}
ADDED = {
    "train.py": PAIRED.format(
        more="from peft import LoraConfig", peft=", peft_config=LoraConfig(r=8)"
    )
}
SIMPO: dict[str, Json] = {**GRPO, "trainer": "cpo", "loss_type": "simpo", "cpo_alpha": 0.0}
WIDE: dict[str, Json] = {"model_type": "llama", "hidden_size": 2048}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.yaml": "trainer: sft\nlearning_rate: 1e5\n"}, "run.yaml", says="is 100000"),
        Bad({"run.json": {**RUN, KEY: 1.0}}, says="learning_rate is 1: each step"),
        Bad({"run.json": {**GRPO, KEY: 1e-3}}, says="learning_rate is 0.001: a trained model"),
        Bad({"run.json": {**GRPO, KEY: 0.1, "use_peft": True}}, says="is 0.1: a trained model"),
        Bad({"run.json": {**RUN, KEY: 0.1}, "m/config.json": WIDE}, says="is 0.1: a trained model"),
        Bad({"train.py": BARE}, "train.py", says="learning_rate is 0.05"),
        Bad({"train.py": LORA}, "train.py", says="learning_rate is 0.05"),
        Good({"train.py": MADE}, "train.py", skipped="model is not known"),
        Good({"train.py": PROMPT}, "train.py"),
        Good({"run.json": {**GRPO, KEY: 1e-3, "use_peft": True}}),
        Good({"run.json": {**GRPO, KEY: 1e-4}}),
        Good({"run.json": {**GRPO, "trainer": "sft", KEY: 3e-3}}),
        Bad(
            {"run.json": {**GRPO, "trainer": "dpo", KEY: 2e-4}},
            says="learning_rate is 0.0002: all weights are trained, and the model",
        ),
        Bad(FORGETS, "train.py", says="learning_rate is 0.0002: all weights are trained"),
        Bad({"run.json": {**SIMPO, KEY: 2e-4}}, says="learning_rate is 0.0002: all weights are"),
        Bad({"run.json": {**GRPO, "trainer": "dpo", KEY: 1e-3}}, says="is 0.001: a trained model"),
        Good(FROZEN, "train.py"),
        Good(ADDED, "train.py"),
        Good({"run.json": {**GRPO, "trainer": "dpo", KEY: 2e-4, "use_peft": True}}),
        Good({"run.json": {**GRPO, "trainer": "dpo", KEY: 5e-5}}),
        Good({"run.json": {**GRPO, "trainer": "dpo", KEY: 2e-4, "rpo_alpha": 1.0}}),
        Good({"run.json": {**GRPO, "trainer": "dpo", KEY: 2e-4, "loss_type": ["sigmoid", "sft"]}}),
        Good({"run.json": {**GRPO, "trainer": "orpo", KEY: 2e-4}}),
        Good({"run.json": {**SIMPO, "cpo_alpha": 1.0, KEY: 2e-4}}),
        Good({"run.json": {**RUN, KEY: 0.1}}),
        Good({"run.json": {**RUN, KEY: 0.1}, "m/config.json": {**WIDE, "hidden_size": 64}}),
        Good({"run.json": {**GRPO, "model_name_or_path": "org/tiny-random-8B", KEY: 0.1}}),
        Good({"run.json": {**RUN, KEY: 1e-5}}),
        Good({"run.json": {**RUN, KEY: 1.0, "optim": "sgd"}}),
        Good({"run.json": RUN}),
    ),
)
