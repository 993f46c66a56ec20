"""The adapter names no modules, and PEFT knows none to use.

Without `target_modules` PEFT looks the type of the model up in a table of its own. For a type that
is not there it fails after the model is loaded: "Please specify `target_modules` in
`peft_config`". New types of models are missing for some releases.

Remedy: `lora_target_modules: all-linear` (in a `LoraConfig` `target_modules="all-linear"`), or
names such as `[q_proj, v_proj]`. Or install a release of PEFT that knows the type.

Versions: the table of the installed PEFT is read.

Seen: trl#3427 (Qwen3 with `trl sft --use_peft`). Reproduced with SFT of trl 0.19.1, peft 0.17.1 and
an OLMo 2: it fails with this error, and trains with `[q_proj, v_proj]`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import adapter_config, constructed, passed

from ..._recorded.candidate import candidate, config_files

KEYS = ("lora_target_modules", "lora_target_parameters")
TABLE = "TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING"
MODULE = "utils/constants.py"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    no_other_program(facts)
    values = passed(facts) if rehearsed(facts) else run.script.passed
    if not run.flag("use_peft") or any(map(run.arguments.get, KEYS)):
        raise NotConcerned("the run configures no adapter, or says where it is")
    given = constructed(values.values.get("peft_config")) if values else None
    by_trl = values is None or (given is not None and given.short == "get_peft_config")
    if not by_trl and values and adapter_config(values, "LoraConfig") is None:
        raise NotConcerned("the adapter is not known to be LoRA")
    policy = run.policy
    if isinstance(policy, Unavailable):
        raise policy
    kind = facts.at(policy)[model_config].get("model_type")
    if not isinstance(kind, str):
        raise Unavailable("config.json of the model names no type")
    if kind not in _known(facts):
        peft = facts.environment.version("peft")
        yield Finding(
            run.place("use_peft"),
            f"the adapter names no target modules, and peft {peft} has none for the type {kind}: "
            "it refuses to make the adapter",
        )


def _known(facts: Facts) -> set[str]:
    """The types of models in the table of the installed PEFT; raises `Unavailable`."""
    folder = facts.environment.source("peft")
    if folder is None:
        raise Unavailable("which models peft knows is not known without its sources")
    for node in _tree(folder / MODULE).body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != TABLE:
            continue
        if isinstance(node.value, ast.Dict):
            keys = [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
            if len(keys) == len(node.value.keys):
                return {str(key) for key in keys}
    raise Unavailable(f"{MODULE} of peft has no table of models that can be read")


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text("utf-8"))
    except (OSError, ValueError, SyntaxError):
        raise Unavailable(f"{file} cannot be read") from None


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model", "use_peft": True}
PEFT: dict[str, Json] = {
    "site-packages/peft-0.17.1.dist-info/METADATA": "Name: peft\nVersion: 0.17.1\n",
    "site-packages/peft/__init__.py": "",
    f"site-packages/peft/{MODULE}": f'{TABLE} = {{\n    "qwen2": ["q_proj", "v_proj"],\n}}\n',
}
VERSIONS = {"trl": "0.19.1", "peft": "0.17.1"}


def _candidate(kind: str = "olmo2", **arguments: Json) -> dict[str, Json]:
    return {**candidate({**RUN, **arguments}, config_files({"model_type": kind})), **PEFT}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Please specify .target_modules",
    examples=(
        Bad(
            _candidate(),
            versions=VERSIONS,
            says="the adapter names no target modules, and peft 0.17.1 has none for the type olmo2",
        ),
        Good(_candidate("qwen2"), versions=VERSIONS),
        Good(_candidate(lora_target_modules="all-linear"), versions=VERSIONS),
        Good(_candidate(use_peft=False), versions=VERSIONS),
        Good(
            candidate(RUN, config_files({"model_type": "olmo2"})),
            versions={"trl": "0.19.1"},
            skipped="without its sources",
        ),
    ),
)
