"""lora_target_modules names modules that the model lacks.

If none of the names is a module of the model, the run fails after the model is loaded. If only some
are not, there is no warning: the adapter is trained on the others. A single name needs care: TRL
passes it to PEFT as a string, and PEFT reads a string as a pattern that must match the whole name
of a module.

Remedy: name modules of this model. For a single one write a pattern, `.*\\.q_proj`. `all-linear`
selects all linear modules except the head.

Versions: every release, PEFT up to 0.21.2 at least.

Seen: VLM-R1#26; reproduced with trl 1.16.0 and peft 0.21.2 on a Llama: `[q_proj]`, `q_proj` and
`[W_pack, c_attn]` fail with "Target modules … not found in the base model", `[q_proj, W_pack]`
adapts only q_proj and gives no warning, `[.*\\.q_proj]` and `[q_proj, v_proj]` adapt what they
name. trl 0.12.2, 0.14.0, 0.19.0, 0.26.1 and 1.0.0 turn a single name into a string in the same line
of code.
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.modules import HEADS, is_module, modules
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, candidate
from ..._recorded.candidate import weights as stored

KEY = "lora_target_modules"


def check(facts: Facts) -> Iterator[Finding]:
    names = _named(facts)
    if names in ("all-linear", ["all-linear"]):
        return
    known = facts[modules]
    alone = isinstance(names, list) and len(names) == 1 and not facts.run.by_class
    single = names if isinstance(names, str) else names[0] if alone else None
    if single is not None:
        if not _matches(facts, single, known):
            yield _pattern(facts, single, known)
        return
    unknown = [name for name in names if not is_module(name, known)]
    if unknown:
        none = len(unknown) == len(names)
        yield Finding(
            facts.run.place(KEY),
            f"the model has no module {', '.join(unknown)}: "
            + (
                "PEFT refuses to make an adapter"
                if none
                else "PEFT leaves it out and gives no warning"
            ),
            evidence=_offered(facts),
            severity=None if none else "warning",
        )


def findings(facts: Facts) -> list[Finding]:
    """What this rule finds, for rules about the same fault; empty if it is not known."""
    try:
        return list(check(facts))
    except Unavailable:
        return []


def _named(facts: Facts) -> str | list[str]:
    """What the run file names; raises `NotConcerned` if the run trains no adapter."""
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    no_other_program(facts)
    target_modules = run.arguments.get(KEY)
    if not run.flag("use_peft") or not target_modules:
        raise NotConcerned("the run configures no adapter (use_peft) or names no modules for it")
    if isinstance(target_modules, list) and all(isinstance(name, str) for name in target_modules):
        return [str(name) for name in target_modules]
    if isinstance(target_modules, str):
        return target_modules
    raise Unavailable(f"{KEY} is neither a string nor a list of strings")


def _matches(facts: Facts, pattern: str, known: set[str]) -> bool:
    """Whether a pattern matches a full module name; raises `Unavailable` if names may differ."""
    config = facts.get(model_config)
    if config is None or config.get("text_config") is not None:
        raise Unavailable("modules may have other names in the model than in the checkpoint")
    if any(pattern.endswith(head) for head in HEADS):
        return True
    if re.search(r"\)[*+{]", pattern):
        raise Unavailable(f"{KEY} is a pattern that may take very long to match")
    try:
        regex = re.compile(pattern)
    except re.error:
        raise Unavailable(f"{KEY} is not a valid regular expression") from None
    candidates = {*known, *(f"model.{module}" for module in known)}
    return any(regex.fullmatch(candidate) for candidate in candidates)


def _pattern(facts: Facts, single: str, known: set[str]) -> Finding:
    """What is wrong with a single name, and the pattern that was meant."""
    route = (KEY, 0) if isinstance(facts.run.arguments.get(KEY), list) else (KEY,)
    plain = bool(re.fullmatch(r"\w+", single)) and is_module(single, known)
    edit = Put(facts.run.target.path, pointer(*route), rf".*\.{single}")
    return Finding(
        facts.run.place(*route),
        f"a single name is a pattern for PEFT, and no whole module name matches {single!r}: "
        "PEFT refuses to make an adapter",
        evidence=_offered(facts),
        fix=Fix(rf"write .*\.{single}", (edit,)) if plain else None,
    )


def _offered(facts: Facts) -> tuple[str, ...]:
    """The modules that an adapter can be made for: those with a matrix."""
    tensors = facts[weights].tensors.items()
    names = {
        name.split(".")[-2] for name, tensor in tensors if len(tensor.shape) == 2 and "." in name
    }
    return (f"modules of the model: {', '.join(sorted(names)[:20])}",) if names else ()


LAYER = "model__layers__0__self_attn__"
BYTES = {
    "model.safetensors": stored(
        **{f"{LAYER}q_proj__weight": (2, 2), f"{LAYER}v_proj__weight": (2, 2)},
        model__embed_tokens__weight=(8, 2),
    )
}
RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model", "use_peft": True}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Target modules (?s:.*)not found in the base model",
    examples=(
        Bad(
            candidate({**RUN, KEY: ["W_pack", "c_attn"]}, CONFIG, BYTES),
            says="the model has no module W_pack, c_attn: PEFT refuses",
        ),
        Bad(
            candidate({**RUN, KEY: ["q_proj", "W_pack"]}, CONFIG, BYTES),
            says="no module W_pack: PEFT leaves it out and gives no warning",
            severity="warning",
        ),
        Bad(
            candidate({**RUN, KEY: ["q_proj"]}, CONFIG, BYTES),
            says="no whole module name matches 'q_proj'",
            fixed={"run.json": {**RUN, KEY: [r".*\.q_proj"]}},
        ),
        Bad(
            candidate({**RUN, KEY: "q_proj,v_proj"}, CONFIG, BYTES), says="matches 'q_proj,v_proj'"
        ),
        Good(candidate({**RUN, KEY: ["q_proj", "v_proj", "lm_head"]}, CONFIG, BYTES)),
        Good(candidate({**RUN, KEY: "all-linear"}, CONFIG, BYTES)),
        Good(candidate({**RUN, KEY: r".*\.self_attn\.(q|v)_proj"}, CONFIG, BYTES)),
        Good(candidate({**RUN, KEY: ["W_pack"], "use_peft": False}, CONFIG, BYTES)),
        Good(candidate({**RUN, KEY: ["W_pack", "c_attn"]}, CONFIG), skipped="no weights"),
        Good(candidate({**RUN, KEY: r"(\w+\.?)+x"}, CONFIG, BYTES), skipped="very long to match"),
    ),
)
