"""The adapter's target modules are not in the real model.

The names were tried on the model itself, built without weights. If none matches, the run fails
after the model is loaded on every GPU. If only some match, there is no warning, and the adapter is
smaller than intended. Trainers that never run the head refuse an adapter on it.

Remedy: name linear modules of this model in `lora_target_modules`, or use `all-linear`, and do not
name `lm_head`.

Versions: every release with peft; the head since trl 1.10.0.

Seen: VLM-R1#26; reproduced with trl 1.16.0 with peft 0.21.2: "Target modules … not found in the
base model", "Please specify `target_modules`", "Applying a PEFT adapter to `lm_head` is not
supported".
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.load import adapter
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.load import LoadedAdapter

from ..._recorded.candidate import CONFIG, RUN, candidate
from ..._recorded.candidate import weights as stored
from ..._recorded.load import ADAPTER, answers

KEY = "lora_target_modules"
BY_NAMES = "adapter-targets-nothing"
"""The rule that finds the same problem in the names of the weights."""

NO_HEAD = frozenset({"grpo", "rloo", "dpo", "kto"})
"""Trainers that refuse an adapter on the head with every loss."""


def check(facts: Facts) -> Iterator[Finding]:
    if isinstance(facts.run.file, Unavailable):
        raise facts.run.file
    if not facts.run.flag("use_peft"):
        raise NotConcerned("the run trains no adapter (use_peft)")
    loaded = facts[adapter]
    lacking = [name for name, number in loaded.matched.items() if not number]
    place, evidence = facts.run.place(KEY), _offered(loaded)
    if loaded.adapted_head and loaded.head_refused:
        yield _head(facts)
    if loaded.refusal:
        reason = " ".join(loaded.refusal.split())
        yield Finding(
            place,
            f"peft refuses an adapter for the {loaded.class_name}: {excerpt(reason, 240)}",
            evidence,
            follows=(BY_NAMES,),
        )
    elif lacking:
        many = f"{loaded.adapted:,} modules are adapted"
        yield Finding(
            place,
            f"the {loaded.class_name} has no module {', '.join(lacking)}: peft leaves it out "
            f"and gives no warning, {many}",
            evidence,
            severity="warning",
            follows=(BY_NAMES,),
        )


def _head(facts: Facts) -> Finding:
    trainer, version = facts.run.trainer, facts.environment.version("trl")
    refuser = "the trainer" if isinstance(trainer, Unavailable) else trainer.trainer
    sure = not isinstance(trainer, Unavailable) and trainer.name in NO_HEAD
    return Finding(
        facts.run.place(KEY),
        f"the adapter is also put on the head: {refuser} of trl {version} refuses that",
        severity=None if sure else "warning",
    )


def _offered(loaded: LoadedAdapter) -> tuple[str, ...]:
    return (f"linear modules of the model: {', '.join(loaded.linear)}",)


PEFT: dict[str, Json] = {**RUN, "use_peft": True}
FIVE = {"trl": "1.16.0", "transformers": "5.23.0"}
NONE = replace(
    ADAPTER,
    targets=("W_pack",),
    matched={"W_pack": 0},
    refusal="Target modules {'W_pack'} not found in the base model. Please check",
    adapted=0,
)
BYTES = {"model.safetensors": stored(model__layers__0__self_attn__q_proj__weight=(2, 2))}
SOME = replace(ADAPTER, matched={"q_proj": 2, "W_pack": 0}, adapted=2)

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Target modules (?s:.*)not found in the base model",
    examples=(
        Bad(
            candidate({**PEFT, KEY: ["W_pack", "c_attn"]}, CONFIG),
            versions=FIVE,
            answers=answers(adapter=NONE),
            says="peft refuses an adapter for the LlamaForCausalLM: Target modules {'W_pack'} not",
        ),
        Bad(
            candidate({**PEFT, KEY: ["q_proj", "W_pack"]}, CONFIG),
            versions=FIVE,
            answers=answers(adapter=SOME),
            says="has no module W_pack: peft leaves it out and gives no warning, "
            "2 modules are adapted",
            severity="warning",
        ),
        Bad(
            candidate({**PEFT, KEY: ["q_proj", "lm_head"]}, CONFIG),
            versions=FIVE,
            answers=answers(adapter=replace(ADAPTER, adapted_head=True)),
            says="the adapter is also put on the head: GRPOTrainer of trl 1.16.0 refuses that",
        ),
        Bad(
            candidate({**PEFT, KEY: ["q_proj", "W_pack"]}, CONFIG, BYTES),
            versions=FIVE,
            answers=answers(adapter=replace(NONE, refusal="q_proj is not supported")),
            says="peft refuses an adapter for the LlamaForCausalLM: q_proj is not supported",
        ),
        Good(candidate(PEFT, CONFIG), versions=FIVE, answers=answers(adapter=ADAPTER)),
        Good(
            candidate(PEFT, CONFIG),
            versions=FIVE,
            answers=answers(adapter="peft is not installed"),
            skipped="peft is not installed",
        ),
    ),
)
