"""modules_to_save is a text, or names no module.

PEFT trains the modules of `modules_to_save` whole, beside the adapter. It leaves out a name that no
module ends with, and says nothing. A text in place of a list is taken for a list of its letters:
PEFT then trains each module whose name ends with one of them, which are most of the model.

Remedy: write a list of names of this model: `modules_to_save=["lm_head", "embed_tokens"]`.

Versions: every release of PEFT up to 0.21.2.

Seen: reproduced with peft 0.21.2 on a Llama: with `["lm_heads"]` only the adapter is trained, with
"lm_head" the norms, the MLPs and the whole model are, too, and `load_best_model_at_end` of
SFTTrainer of trl 1.16.0 fails: "KeyError: 'base_model.model.model.layers.0.self_attn.q_proj…'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.modules import is_module, modules
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, candidate
from ..._recorded.candidate import weights as stored
from ..._recorded.scripts import script

KEY = "lora_modules_to_save"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    names = run.arguments.get(KEY) if run.flag("use_peft") else None
    if not names:
        raise NotConcerned("the run trains no modules beside an adapter")
    if isinstance(names, str) and run.by_class and not run.parser:
        yield Finding(
            run.place(KEY),
            f"modules_to_save is the text {names!r:.60}: PEFT takes each of its letters for a name",
            remedy=f"write modules_to_save=[{names!r:.60}]",
        )
    elif isinstance(names, list):
        known = facts[modules]
        unknown = [name for name in names if isinstance(name, str) and not is_module(name, known)]
        if unknown:
            near = similar(unknown[0], sorted({name.rpartition(".")[2] for name in known}))
            yield Finding(
                run.place(KEY),
                f"the model has no module {', '.join(unknown)}: PEFT leaves it out and gives no "
                "warning",
                remedy=f"write {near[0]!r}" if near else "",
                severity="warning",
            )


BYTES = {
    "model.safetensors": stored(
        model__layers__0__self_attn__q_proj__weight=(2, 2), model__embed_tokens__weight=(8, 2)
    )
}
RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model", "use_peft": True}


def _adapted(saved: str) -> dict[str, str]:
    before = f"from peft import LoraConfig\nadapter = LoraConfig(r=4, modules_to_save={saved})\n"
    return script("SFT", "model='org/m', peft_config=adapter", before=before)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            _adapted("'lm_head'"),
            "train.py",
            says="modules_to_save is the text 'lm_head': PEFT takes each of its letters for a name",
        ),
        Bad(
            candidate({**RUN, KEY: ["embed_token"]}, CONFIG, BYTES),
            says="the model has no module embed_token: PEFT leaves it out and gives no warning",
            severity="warning",
        ),
        Good(candidate({**RUN, KEY: ["lm_head", "embed_tokens"]}, CONFIG, BYTES)),
        Good(candidate({**RUN, KEY: "lm_head"}, CONFIG, BYTES)),
        Good(_adapted("['lm_head']"), "train.py", skipped="local cache"),
        Good(candidate(RUN, CONFIG, BYTES)),
    ),
)
