"""transformers knows no attention implementation of this name.

The model is refused when it is loaded, on every process. People write flash_attention, flash_attn
or flash-attention-2; the names are those below.

Remedy: write `sdpa`, `eager`, `flex_attention`, `flash_attention_2`, `flash_attention_3` or
`flash_attention_4`; or the name of a kernel of the Hub (`kernels-community/flash-attn`).

Versions: every release. A script that registers an implementation of its own is left alone.

Seen: reproduced with transformers 4.46.3, 4.57.6 and 5.23.0, each with flash_attention and
flash_attn: "Specified `attn_implementation=… is not supported. The only possible arguments are".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.loading import ATTENTION, stated_loading
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.tools import mentions

from ..._recorded.scripts import script

KNOWN = ("eager", "sdpa", "flex_attention", "flash_attention_2", "flash_attention_3",
         "flash_attention_4")  # fmt: skip
PAGED = "paged|"
"""What may stand before each of them."""

REGISTERS = ("AttentionInterface", "ALL_ATTENTION_FUNCTIONS")


def check(facts: Facts) -> Iterator[Finding]:
    for route, name in stated_loading(facts, ATTENTION).items():
        if name.removeprefix(PAGED) in KNOWN or "/" in name:
            continue
        if facts.run.script.passed is not None and any(mentions(facts, one) for one in REGISTERS):
            raise NotConcerned("the script registers attention of its own")
        near = similar(name.lower().replace("-", "_"), KNOWN)
        yield Finding(
            facts.run.place(*route),
            f"{ATTENTION} is {name!r:.60}, which transformers does not know: the model cannot be "
            "loaded",
            remedy=f'write "{near[0]}"' if near else "",
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model"}


def _run(name: str) -> dict[str, Json]:
    return {"run.json": {**RUN, ATTENTION: name}}


LOADED = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m', attn_implementation='flash_attn')\n"
)
OWN = (
    "from transformers import AttentionInterface\nAttentionInterface.register('flash_attn', own)\n"
)
SAYS = "which transformers does not know: the model cannot be loaded"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Specified `attn_implementation",
    examples=(
        Bad(_run("flash_attention2"), says=SAYS),
        Bad({"run.json": {**RUN, "model_init_kwargs": {ATTENTION: "xformers"}}}, says=SAYS),
        Bad(script("SFT", "model=model", before=LOADED), "train.py", says="is 'flash_attn', which"),
        Good(script("SFT", "model=model", before=OWN + LOADED), "train.py"),
        Good(_run("paged|sdpa")),
        Good(_run("kernels-community/flash-attn")),
    ),
)
