"""A key of generation_kwargs is no argument of generation.

transformers keeps a key that it does not know, but never reads it: the job trains on completions
that are not sampled as the run file says, and there is no warning.

Remedy: correct the key.

Versions: every transformers; the installed one is read. With `use_vllm` the keys are vLLM's, and it
refuses those that it does not know.

Seen: reproduced: `trl grpo` of trl 1.16.0 with `generation_kwargs: {temperatur: 0.5}` trains
without a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.library import generation
from trl_doctor.facts.rule import Bad, Good, Rule

KEY = "generation_kwargs"


def check(facts: Facts) -> Iterator[Finding]:
    kwargs = facts.run.arguments.get(KEY)
    if not isinstance(kwargs, dict) or not kwargs:
        raise NotConcerned(f"the run has no {KEY}")
    if facts.run.flag("use_vllm"):
        raise NotConcerned("vLLM reads these keys")
    arguments = generation.arguments(facts.environment)
    for name in kwargs:
        if name not in arguments:
            near = similar(name, arguments, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"transformers reads no {name} of {KEY}{hint}"
            yield Finding(facts.run.place(KEY, name), message)


def _run(**kwargs: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": "grpo", "model_name_or_path": "m", KEY: {**kwargs}}}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_run(temperatur=0.5), says="reads no temperatur of generation_kwargs; did you mean"),
        Good(_run(temperature=0.5, min_new_tokens=3)),
        Good(_run()),
    ),
)
