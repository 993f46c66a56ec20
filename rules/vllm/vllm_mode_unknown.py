"""vllm_mode has a value that the trainer does not know.

There are two modes: `colocate` makes the engine in the training process, `server` asks one that
runs elsewhere. The job fails when the trainer is created, after the model was loaded.

Remedy: write one of the two.

Versions: trl 0.18.0 and newer.

Seen: `trl grpo` of 1.16.0 with `vllm_mode: collocate`: "vllm_mode must be either 'server' or
'colocate', got 'collocate'".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule

KEY, MODES = "vllm_mode", ("colocate", "server")


def check(facts: Facts) -> Iterator[Finding]:
    run, mode = facts.run, facts.run.arguments.get(KEY)
    if not run.flag("use_vllm") or not isinstance(mode, str):
        raise NotConcerned("the run names no mode of vLLM")
    if mode in MODES or "{" in mode:
        return
    place, near = run.place(KEY), similar(mode.lower(), [*MODES], 1, 0.8)
    fix = Fix(f"write {near[0]}", (Put(place.file, place.pointer, near[0]),)) if near else None
    yield Finding(place, f"{KEY} is {mode!r:.40}, but must be colocate or server", fix=fix)


RUN: dict[str, Json] = {"trainer": "grpo", "model_name_or_path": "m", "use_vllm": True}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="vllm_mode must be either",
    examples=(
        Bad(
            {"run.json": {**RUN, KEY: "collocate"}},
            says="vllm_mode is 'collocate', but must be colocate or server",
            fixed={"run.json": {**RUN, KEY: "colocate"}},
        ),
        Bad({"run.json": {**RUN, KEY: "local"}}, says="vllm_mode is 'local'"),
        Good({"run.json": {**RUN, KEY: "server"}}),
        Good({"run.json": RUN}),
    ),
)
