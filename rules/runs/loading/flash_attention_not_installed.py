"""Flash attention is configured but not installed.

The run fails with an ImportError when the model is loaded, on every process, after the job has
waited for its GPUs.

Remedy: `pip install flash-attn` in the environment of the job (it is compiled for the torch that is
installed there), or write `attn_implementation: sdpa`. Packing and padding_free need flash
attention.

Versions: every release. From transformers 4.56 on the package `kernels`, if it is installed,
downloads a compiled version from the Hub instead. flash_attention_3 is known from 4.53 on.

Seen: trl#4175; reproduced: transformers 4.48.3, 4.51.3, 4.53.3, 4.57.6 and 5.23.0 without the
package: "FlashAttention2 has been toggled on, but it cannot be used"; the same for FlashAttention3
from 4.53.3 on, before that release a ValueError: it is not supported.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.loading import ATTENTION as KEY
from trl_doctor.facts.arguments.loading import stated_loading
from trl_doctor.facts.rule import Bad, Good, Rule

PACKAGES = {
    "flash_attention_2": ("flash-attn", "flash_attn"),
    "flash_attention_3": ("flash-attn-3", "flash_attn_interface"),
}
"""The distribution and the module that each implementation needs."""

INSTEAD = ("kernels", "torch-npu")
"""The package that provides flash attention without flash-attn."""

THIRD = Version("4.53.0")


def check(facts: Facts) -> Iterator[Finding]:
    stated = stated_loading(facts, KEY).items()
    route, implementation = next(((r, v) for r, v in stated if v in PACKAGES), ((), ""))
    if not implementation:
        return
    transformers = facts.environment.version("transformers")
    if implementation == "flash_attention_3" and transformers and transformers < THIRD:
        reason = (
            f"transformers {transformers} does not support it, {THIRD} is the "
            "first release that does"
        )
    elif _absent(facts, implementation):
        reason = f"{PACKAGES[implementation][0]} is not installed in {facts.environment.python}"
    else:
        return
    edit = Put(facts.run.target.path, pointer(*route), "sdpa")
    yield Finding(
        facts.run.place(*route),
        f"{KEY} is {implementation}, but {reason}: the model cannot be loaded",
        fix=Fix(f"set {KEY} to sdpa", (edit,), safe=False),
    )


def _absent(facts: Facts, implementation: str) -> bool:
    """Whether the package is missing; raises `Unavailable` if that is not known."""
    environment = facts.environment
    if not environment.lacks(*PACKAGES[implementation]):
        return False
    for name in INSTEAD:
        if environment.installed(name):
            raise NotConcerned(f"{name} is installed, which provides flash attention")
    return True


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model"}
TWO: dict[str, Json] = {**RUN, KEY: "flash_attention_2"}
THREE: dict[str, Json] = {**RUN, "model_init_kwargs": {KEY: "flash_attention_3"}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="[Ff]lash",
    examples=(
        Bad(
            {"run.json": THREE},
            versions={"transformers": "4.48.3"},
            says="transformers 4.48.3 does not support it",
            fixed={"run.json": {**RUN, "model_init_kwargs": {KEY: "sdpa"}}},
        ),
        Good({"run.json": TWO}, versions={"transformers": "5.23.0", "flash-attn": "2.8.3"}),
        Good({"run.json": TWO}, versions={"transformers": "5.23.0"}, skipped="use --python"),
        Good({"run.json": {**RUN, KEY: "sdpa"}}),
        Good({"run.json": {**TWO, "trainer": "rloo"}}, versions={"trl": "0.24.0"}),
    ),
)
