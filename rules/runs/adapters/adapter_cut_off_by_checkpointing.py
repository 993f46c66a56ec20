"""Gradient checkpointing cuts the adapter off.

Gradient checkpointing in its older form (`use_reentrant`, the default of transformers 4) passes no
gradients if its inputs need none. With an adapter the inputs are frozen embeddings. These trainers
do not enable gradients for them. GRPO then fails in its first step: "element 0 of tensors does not
require grad". RewardTrainer trains only its head, without a warning.

Remedy: set `gradient_checkpointing_kwargs: {use_reentrant: false}`.

Versions: GRPO of trl 0.14.0 to 0.15.2, RewardTrainer before 0.22.0. Newer releases enable these
gradients, and so do SFT, DPO and KTO of these releases. A base model in 4 or 8 bit is not affected.

Seen: trl#3150. Reproduced with peft 0.14.0: GRPO of trl 0.14.0 and 0.15.2 fails, of 0.16.0 to
0.19.1 and 1.16.0 trains; of RewardTrainer of trl 0.12.2, 0.15.2, 0.19.1, 0.20.0 and 0.21.0 every
lora_B is zero after two steps, of 0.22.2 and newer none. With the remedy they train with 0.12.2,
0.15.2 and 0.19.1.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.quantisation import quantised
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.tools import mentions

from ..._recorded.scripts import script

KEY, OPTIONS, REENTRANT = "gradient_checkpointing", "gradient_checkpointing_kwargs", "use_reentrant"
FIXED = {"grpo": Version("0.16.0"), "reward": Version("0.22.0")}
CONSEQUENCES = {
    "grpo": "the first step fails for lack of gradients",
    "reward": "only the head of the reward model is trained",
}
ENABLES = ("enable_input_require_grads", "make_inputs_require_grad", "prepare_model_for_kbit")


def check(facts: Facts) -> Iterator[Finding]:
    run, name = facts.run, known_trainer(facts) or ""
    if name not in FIXED or not run.flag("use_peft"):
        raise NotConcerned("only GRPO and Reward with an adapter are affected")
    if facts.environment.known_version("trl") >= FIXED[name]:
        raise NotConcerned("this trl switches the gradients of the inputs on")
    if not run.flag(KEY) or quantised(facts):
        return
    options = run.arguments.get(OPTIONS)
    if isinstance(options, dict) and options.get(REENTRANT) is False:
        return
    if mentions(facts, *ENABLES):
        raise Unavailable("the script itself switches gradients of the inputs on")
    edit = Put(run.place(KEY).file, pointer(OPTIONS), {REENTRANT: False})
    yield Finding(
        run.place(KEY),
        f"{KEY} cuts the adapter off, because {REENTRANT} is "
        f"{'true' if isinstance(options, dict) else 'not set'}: {CONSEQUENCES[name]}",
        fix=Fix(f"set {OPTIONS} to {{{REENTRANT}: false}}", (edit,), safe=False),
    )


RUN: dict[str, Json] = {"trainer": "grpo", "use_peft": True, KEY: True}
ADAPTED = "peft_config=LoraConfig()"
HEAD = "from peft import LoraConfig\n"
OLD = {"trl": "0.15.2"}
OFF: dict[str, Json] = {OPTIONS: {REENTRANT: False}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="requires_grad|element 0 of tensors does not require grad",
    examples=(
        Bad(
            {"run.json": RUN},
            versions=OLD,
            says="because use_reentrant is not set: the first step fails",
            fixed={"run.json": {**RUN, **OFF}},
        ),
        Bad(
            {"run.json": {**RUN, "trainer": "reward", OPTIONS: {REENTRANT: True}}},
            versions={"trl": "0.21.0"},
            says="because use_reentrant is true: only the head of the reward model is trained",
            fixed={"run.json": {**RUN, "trainer": "reward", **OFF}},
        ),
        Bad(
            script("GRPO", f"model='model', reward_funcs=len, {ADAPTED}", f"{KEY}=True", HEAD),
            "train.py",
            versions=OLD,
            says="gradient_checkpointing cuts the adapter off",
        ),
        Good(
            script(
                "GRPO",
                f"model=model, reward_funcs=len, {ADAPTED}",
                f"{KEY}=True",
                f"{HEAD}model.enable_input_require_grads()\n",
            ),
            "train.py",
            versions=OLD,
            skipped="the script itself switches gradients of the inputs on",
        ),
        Good({"run.json": {**RUN, "load_in_4bit": True}}, versions=OLD),
        Good({"run.json": {**RUN, KEY: False}}, versions=OLD),
        Good({"run.json": RUN}, versions={"trl": "0.16.0"}),
        Good({"run.json": {**RUN, "trainer": "sft"}}, versions=OLD),
    ),
)
