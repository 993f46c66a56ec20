"""lora_dropout is set, and the adapter is on experts.

In transformers 5 the experts of a mixture are one parameter instead of many layers. PEFT cannot
apply dropout to the input of an adapter on a parameter, and refuses it. TRL's own default of
lora_dropout is 0.05: a run that does not name it fails, too.

Remedy: set `lora_dropout: 0.0`. Or leave the experts out: name only the attention's modules in
lora_target_modules.

Versions: transformers from 5.0 with peft from 0.21, for the mixtures that PEFT converts;
lora_target_parameters in every peft that has it.

Seen: reproduced with trl 1.16.0, transformers 5.23.0 and peft 0.21.2 on a small Qwen3-MoE model and
`lora_target_modules: all-linear`: "lora.ParamWrapper does not work with lora_dropout != 0". With
`lora_dropout: 0.0` the same run takes its step. PEFT refuses small models of the other types in the
same way.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import language_model

from ..._recorded.candidate import RUN as GRPO
from ..._recorded.candidate import TOKENIZER, candidate, config_files

KEY, PARAMETERS, MODULES = "lora_dropout", "lora_target_parameters", "lora_target_modules"
USUAL = 0.05
"""The default of TRL's commands."""

FUSED = frozenset({"gate_proj", "up_proj", "down_proj", "w1", "w2", "w3"})
"""The names of an expert's layers, of which PEFT makes parameters."""

MIXTURES = frozenset(
    {"mixtral", "minimax", "minimax_m2", "qwen3_moe", "qwen3_next", "olmoe",
     "flex_olmo", "deepseek_v2", "deepseek_v3", "dots1", "ernie4_5_moe", "glm4_moe",
     "glm4_moe_lite", "hunyuan_v1_moe", "longcat_flash", "solar_open"}
)  # fmt: skip
"""Types of models whose experts PEFT 0.21 targets as parameters: each was made small, with
transformers 5.23, and refused (qwen2_moe, phimoe, granitemoe, gpt_oss and jamba were not)."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    no_other_program(facts)
    if run.by_class or not run.flag("use_peft"):
        raise NotConcerned("the run configures no adapter (use_peft)")
    dropout = run.number(KEY, USUAL)
    if not dropout:
        return
    reason = _parameters(facts)
    if not reason:
        return
    stated = KEY in run.arguments
    setting = f"{KEY} is {dropout:g}" if stated else f"{KEY} is {dropout:g} by default"
    file = run.place().file
    yield Finding(
        run.place(KEY if stated else PARAMETERS if PARAMETERS in run.arguments else MODULES),
        f"{setting}, but PEFT refuses dropout on parameters, and {reason}",
        fix=Fix("set lora_dropout to 0.0", (Put(file, pointer(KEY), 0.0),), safe=False),
    )


def _parameters(facts: Facts) -> str:
    """Why the adapter is on parameters; empty if it is not."""
    if facts.run.arguments.get(PARAMETERS):
        return f"{PARAMETERS} names parameters"
    targets = facts.run.arguments.get(MODULES)
    names = [targets] if isinstance(targets, str) else targets if isinstance(targets, list) else []
    everything = names == ["all-linear"]
    if not everything and not FUSED & set(map(str, names)):
        return ""
    kind = language_model(facts.at(facts.run.policy))[1].get("model_type")
    if kind not in MIXTURES:
        return ""
    for library, first in (("transformers", "5.0"), ("peft", "0.21")):
        if facts.environment.known_version(library) < Version(first):
            return ""
    return f"the experts of {kind} are parameters"


MOE = config_files({"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe"})
ADAPTED: dict[str, Json] = {**GRPO, "use_peft": True, MODULES: "all-linear"}
NEW = {"trl": "1.16.0", "transformers": "5.23.0", "peft": "0.21.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"ParamWrapper does not work with lora_dropout",
    examples=(
        Bad(
            candidate(ADAPTED, TOKENIZER, MOE),
            versions=NEW,
            says="lora_dropout is 0.05 by default, but PEFT refuses dropout on parameters, and "
            "the experts of qwen3_moe are",
            fixed=candidate({**ADAPTED, KEY: 0.0}, TOKENIZER, MOE),
        ),
        Bad(
            candidate({**GRPO, "use_peft": True, PARAMETERS: ["w"], KEY: 0.1}, TOKENIZER),
            versions=NEW,
            says="lora_dropout is 0.1, but PEFT refuses dropout on parameters, and "
            "lora_target_parameters names",
            fixed=candidate({**GRPO, "use_peft": True, PARAMETERS: ["w"], KEY: 0.0}, TOKENIZER),
        ),
        Good(candidate({**ADAPTED, KEY: 0.0}, TOKENIZER, MOE), versions=NEW),
        Good(candidate({**ADAPTED, MODULES: ["q_proj"]}, TOKENIZER, MOE), versions=NEW),
        Good(candidate(ADAPTED, TOKENIZER, config_files()), versions=NEW),
        Good(candidate(ADAPTED, TOKENIZER, MOE), versions={**NEW, "transformers": "4.57.6"}),
        Good(candidate({**ADAPTED, "use_peft": False}, TOKENIZER, MOE), versions=NEW),
        Good(
            candidate(ADAPTED, TOKENIZER, MOE),
            versions={"trl": "1.16.0"},
            skipped="the version of transformers",
        ),
    ),
)
